//! The solvers under test, random formulas with known values, and models checked without trusting a solver.

use gainsay_solver::programs::{FIRST, SECOND};
use gainsay_solver::{Budget, Options, Program, Reason, Session, SolverDirectories};
use gainsay_term::bits::{self, mask};
use gainsay_term::{ArrayValue, BinaryOp, CompareOp, Node, eval};
use gainsay_term::{Assignment, Sort, Term, TermPool, Value};
use std::collections::BTreeSet;
use std::env;
use std::path::Path;
use std::time::Duration;

/// Generous: no test is about time unless it says so.
pub(crate) const PLENTY: Budget = Budget { effort: 1_000_000, backstop: Duration::from_secs(120) };

/// Both solvers. They are part of a working copy, so their absence fails the test; it is forgiven only where
/// `GAINSAY_TEST_WITHOUT_SOLVERS` says that it is known.
pub(crate) fn solvers() -> Vec<Program> {
    let mut places = SolverDirectories { directories: vec![] };
    places.directories.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.solvers/bin"));
    places
        .directories
        .extend(SolverDirectories::of_this_process().unwrap_or_else(|e| panic!("{e}")).directories);
    match [FIRST, SECOND].iter().map(|name| places.find(name)).collect::<Result<Vec<_>, _>>() {
        Ok(programs) => programs,
        Err(e) if env::var_os("GAINSAY_TEST_WITHOUT_SOLVERS").is_some() => {
            #[allow(clippy::print_stderr, reason = "a skipped test says so")]
            {
                eprintln!("skipped: {e}");
            }
            Vec::new()
        }
        Err(e) => panic!("{e} (or set GAINSAY_TEST_WITHOUT_SOLVERS=1 to skip the tests that need it)"),
    }
}

pub(crate) fn session(program: &Program) -> Session {
    Session::new(program, &Options::default())
}

/// A small generator of pseudo-random numbers: tests must not differ from run to run.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub(crate) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// Mostly the values at which operators change their mind.
    pub(crate) fn bits(&mut self, width: u32) -> u128 {
        let any = (u128::from(self.next()) << 64) | u128::from(self.next());
        let least = bits::signed_min(width);
        let edges = [0, 1, 2, mask(width), mask(width) - 1, least, least - 1, least + 1, any, any & 0xff];
        self.pick(&edges) & mask(width)
    }
}

pub(crate) const WIDTHS: [u32; 7] = [1, 4, 7, 8, 32, 64, 128];
const INDEX: u32 = 8;
const ELEMENT: u32 = 7;
pub(crate) const ARRAY: Sort = Sort::Array { index: INDEX, element: ELEMENT };

/// A pool of random terms, each with the value that it must have under the assignment, computed on the side and
/// not from the terms.
pub(crate) struct Formulas {
    pub(crate) pool: TermPool,
    pub(crate) assignment: Assignment,
    pub(crate) terms: Vec<(Term, Value)>,
}

impl Formulas {
    pub(crate) fn random(random: &mut Random, steps: usize) -> Formulas {
        let mut formulas =
            Formulas { pool: TermPool::new(), assignment: Assignment::new(), terms: Vec::new() };
        for copy in 0..2 {
            let value = Value::Bool(random.below(2) == 1);
            formulas.variable(&format!("b{copy}"), Sort::Bool, value);
            for width in WIDTHS {
                let value = Value::Bits { width, value: random.bits(width) };
                formulas.variable(&format!("x{copy} of {width}"), Sort::BitVec(width), value);
            }
            let mut array = ArrayValue::new(INDEX, ELEMENT, random.bits(ELEMENT));
            for _ in 0..3 {
                array.store(random.bits(INDEX), random.bits(ELEMENT));
            }
            formulas.variable(&format!("|m\\{copy}|"), ARRAY, Value::Array(array));
        }
        for _ in 0..steps {
            formulas.step(random);
        }
        formulas
    }

    fn variable(&mut self, name: &str, sort: Sort, value: Value) {
        let term = self.pool.var(name, sort);
        self.assignment.insert(term, value.clone());
        self.terms.push((term, value));
    }

    pub(crate) fn booleans(&self) -> Vec<Term> {
        self.terms.iter().filter(|(_, value)| value.as_bool().is_some()).map(|(term, _)| *term).collect()
    }

    /// A term of the sort, often a recent one, so that formulas become deep and share.
    fn operand(&self, random: &mut Random, sort: Sort) -> (Term, Value) {
        let fitting: Vec<&(Term, Value)> =
            self.terms.iter().filter(|(term, _)| self.pool.sort(*term) == sort).collect();
        let recent = fitting.len().saturating_sub(4);
        let from = if random.below(2) == 0 { recent } else { 0 };
        fitting[from + random.below(fitting.len() - from)].clone()
    }

    fn boolean(&self, random: &mut Random) -> (Term, bool) {
        let (term, value) = self.operand(random, Sort::Bool);
        (term, value.as_bool().unwrap())
    }

    fn vector(&mut self, random: &mut Random, width: u32) -> (Term, u128) {
        if random.below(5) == 0 {
            let value = random.bits(width);
            return (self.pool.bits(width, value), value);
        }
        let (term, value) = self.operand(random, Sort::BitVec(width));
        (term, value.as_bits().unwrap())
    }

    fn array(&self, random: &mut Random) -> (Term, ArrayValue) {
        match self.operand(random, ARRAY) {
            (term, Value::Array(array)) => (term, array),
            (_, other) => panic!("{other:?} is no array"),
        }
    }

    fn step(&mut self, random: &mut Random) {
        let width = random.pick(&WIDTHS);
        let (p, p_value) = self.boolean(random);
        let (q, q_value) = self.boolean(random);
        let (x, x_value) = self.vector(random, width);
        let (y, y_value) = self.vector(random, width);
        let pool = &mut self.pool;
        let bits = |width: u32, value: u128| Value::Bits { width, value: value & mask(width) };
        let made = match random.below(24) {
            0 => (pool.not(p), Value::Bool(!p_value)),
            1 => (pool.and(p, q), Value::Bool(p_value && q_value)),
            2 => (pool.or(p, q), Value::Bool(p_value || q_value)),
            3 => (pool.xor(p, q), Value::Bool(p_value != q_value)),
            4 => (pool.implies(p, q), Value::Bool(!p_value || q_value)),
            5 => (pool.eq(p, q), Value::Bool(p_value == q_value)),
            6 => (pool.distinct(x, y), Value::Bool(x_value != y_value)),
            7 | 8 => (pool.eq(x, y), Value::Bool(x_value == y_value)),
            9 => (pool.ite(p, x, y), bits(width, if p_value { x_value } else { y_value })),
            10 => {
                let (r, r_value) = self.boolean(random);
                (self.pool.ite(r, p, q), Value::Bool(if r_value { p_value } else { q_value }))
            }
            11 => (pool.bv_not(x), bits(width, !x_value)),
            12 => (pool.bv_neg(x), bits(width, x_value.wrapping_neg())),
            13 | 14 => {
                let op = random.pick(&CompareOp::ALL);
                (pool.compare(op, x, y), Value::Bool(bits::compare(op, width, x_value, y_value)))
            }
            15 => {
                let high = random.below(width as usize) as u32;
                let low = random.below(high as usize + 1) as u32;
                let cut = pool.extract(high, low, x);
                (cut, bits(high - low + 1, x_value >> low))
            }
            16 if width < 64 => {
                (pool.concat(x, y), Value::Bits { width: 2 * width, value: (x_value << width) | y_value })
            }
            17 if width < 128 => {
                let by = random.below((128 - width) as usize + 1) as u32;
                (pool.zero_extend(by, x), bits(width + by, x_value))
            }
            18 if width < 128 => {
                let by = random.below((128 - width) as usize + 1) as u32;
                (pool.sign_extend(by, x), bits(width + by, bits::signed(x_value, width) as u128))
            }
            19 => {
                let (array, array_value) = self.array(random);
                let (index, index_value) = self.vector(random, INDEX);
                let read = self.pool.select(array, index);
                (read, bits(ELEMENT, array_value.select(index_value)))
            }
            20 => {
                let (array, mut array_value) = self.array(random);
                let (index, index_value) = self.vector(random, INDEX);
                let (element, element_value) = self.vector(random, ELEMENT);
                array_value.store(index_value, element_value);
                (self.pool.store(array, index, element), Value::Array(array_value))
            }
            21 => {
                let ((a, a_value), (b, b_value)) = (self.array(random), self.array(random));
                (self.pool.ite(p, a, b), Value::Array(if p_value { a_value } else { b_value }))
            }
            _ => {
                let op = random.pick(&BinaryOp::ALL);
                (pool.binary(op, x, y), bits(width, bits::binary(op, width, x_value, y_value)))
            }
        };
        self.terms.push(made);
    }
}

/// The model behind the session's last answer, as far as the terms depend on it.
pub(crate) fn model(
    session: &mut Session,
    pool: &mut TermPool,
    terms: &[Term],
) -> Result<Assignment, Reason> {
    let subterms = pool.subterms(terms);
    let variables: Vec<Term> =
        subterms.iter().copied().filter(|&term| matches!(pool.node(term), Node::Var(_))).collect();
    let (arrays, scalars): (Vec<Term>, Vec<Term>) =
        variables.into_iter().partition(|&term| matches!(pool.sort(term), Sort::Array { .. }));
    let mut assignment: Assignment = scalars.iter().copied().zip(session.values(pool, &scalars)?).collect();
    let indices: Vec<Term> = subterms
        .iter()
        .filter_map(|&term| match pool.node(term) {
            Node::Select(_, index) | Node::Store(_, index, _) => Some(index),
            _ => None,
        })
        .collect();
    let touched: BTreeSet<u128> = session.values(pool, &indices)?.iter().filter_map(Value::as_bits).collect();
    for array in arrays {
        let Sort::Array { index, element } = pool.sort(array) else { continue };
        let mut value = ArrayValue::new(index, element, 0);
        for &at in &touched {
            let place = pool.bits(index, at);
            let read = pool.select(array, place);
            let found = session.values(pool, &[read])?[0].as_bits().unwrap();
            value.store(at, found);
        }
        assignment.insert(array, Value::Array(value));
    }
    Ok(assignment)
}

pub(crate) fn holds(pool: &TermPool, term: Term, assignment: &Assignment) -> bool {
    eval(pool, term, assignment) == Some(Value::Bool(true))
}
