//! What was accepted holds, whatever came before and after; and what branches of real programs ask for is found.

use super::evaluate::value_of;
use super::{Guess, Mark, Random};
use crate::bits::mask;
use crate::{Assignment, BinaryOp, CompareOp, Node, Sort, Term, TermPool, Value, eval};
use proptest::prelude::*;

const WIDTHS: [u32; 5] = [1, 8, 32, 64, 128];

/// The assignment for the evaluator of models, which shares no code with the search.
fn assignment(pool: &TermPool, guess: &Guess) -> Assignment {
    let of_variable = |term: Term| {
        let Node::Var(number) = pool.node(term) else { panic!("{term:?} is no variable") };
        let value = value_of(&guess.values, number);
        let value = match pool.sort(term) {
            Sort::Bool => Value::Bool(value & 1 == 1),
            Sort::BitVec(width) => Value::Bits { width, value: value & mask(width) },
            Sort::Array { .. } => panic!("no arrays here"),
        };
        (term, value)
    };
    pool.variables().map(of_variable).collect()
}

fn assert_all_hold(pool: &TermPool, guess: &Guess, accepted: &[Term]) {
    let values = assignment(pool, guess);
    for &condition in accepted {
        assert_eq!(eval(pool, condition, &values), Some(Value::Bool(true)), "{:?}", pool.node(condition));
    }
}

fn pick<T: Copy>(random: &mut Random, items: &[T]) -> T {
    items[random.next() as usize % items.len()]
}

/// Some conditions over a few unknowns of every width, built from one another.
fn conditions(pool: &mut TermPool, random: &mut Random, steps: usize) -> Vec<Term> {
    let mut booleans: Vec<Term> = (0..3).map(|i| pool.var(&format!("b{i}"), Sort::Bool)).collect();
    let mut vectors: Vec<Vec<Term>> = WIDTHS
        .iter()
        .map(|&width| {
            let mut terms: Vec<Term> =
                (0..3).map(|i| pool.var(&format!("x{i} of {width}"), Sort::BitVec(width))).collect();
            for value in [0, 1, 7, u128::MAX, 1 << (width - 1), u128::from(random.next())] {
                terms.push(pool.bits(width, value));
            }
            terms
        })
        .collect();
    for _ in 0..steps {
        let size = random.next() as usize % WIDTHS.len();
        let width = WIDTHS[size];
        let (a, b) = (pick(random, &vectors[size]), pick(random, &vectors[size]));
        let (p, q) = (pick(random, &booleans), pick(random, &booleans));
        match random.next() % 14 {
            0 => booleans.push(pool.not(p)),
            1 => booleans.push(pool.and(p, q)),
            2 => booleans.push(pool.or(p, q)),
            3 => booleans.push(pool.xor(p, q)),
            4 | 5 => booleans.push(pool.eq(a, b)),
            6 | 7 => {
                let op = pick(random, &CompareOp::ALL);
                booleans.push(pool.compare(op, a, b));
            }
            8 => vectors[size].push(pool.ite(p, a, b)),
            9 => vectors[size].push(pool.bv_not(a)),
            10 if size > 0 => {
                let from = random.next() as usize % size;
                let (by, narrow) = (width - WIDTHS[from], pick(random, &vectors[from]));
                let wide =
                    if random.flip() { pool.sign_extend(by, narrow) } else { pool.zero_extend(by, narrow) };
                vectors[size].push(wide);
            }
            11 if size > 0 => {
                let to = random.next() as usize % size;
                let low = random.next() as u32 % (width - WIDTHS[to] + 1);
                vectors[to].push(pool.extract(low + WIDTHS[to] - 1, low, a));
            }
            _ => {
                let op = pick(random, &BinaryOp::ALL);
                vectors[size].push(pool.binary(op, a, b));
            }
        }
    }
    booleans
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_was_accepted_holds(seed in 1..u64::MAX, steps in 5..80usize) {
        let mut random = Random(seed);
        let mut pool = TermPool::new();
        let candidates = conditions(&mut pool, &mut random, steps);
        let mut guess = Guess::default();
        let (mut always, mut accepted): (Vec<Term>, Vec<Term>) = (Vec::new(), Vec::new());
        let mut marks: Vec<(Mark, usize)> = Vec::new();
        for _ in 0..40 {
            let condition = pick(&mut random, &candidates);
            let before = assignment(&pool, &guess);
            match random.next() % 8 {
                0 => marks.push((guess.mark(), accepted.len())),
                1 => {
                    if let Some((mark, length)) = marks.pop() {
                        guess.back_to(mark);
                        accepted.truncate(length);
                        prop_assert_eq!(&assignment(&pool, &guess), &before);
                    }
                }
                2 if pool.as_bool(condition) != Some(false) => {
                    if guess.require_always(&pool, condition) {
                        always.push(condition);
                    } else {
                        // It will be asked for again, and perhaps never come true.
                        break;
                    }
                }
                _ => {
                    if guess.require(&pool, condition) {
                        accepted.push(condition);
                    } else {
                        prop_assert_eq!(&assignment(&pool, &guess), &before, "a refusal changed values");
                    }
                }
            }
            assert_all_hold(&pool, &guess, &always);
            assert_all_hold(&pool, &guess, &accepted);
            prop_assert_eq!(guess.holds(&pool, condition),
                eval(&pool, condition, &assignment(&pool, &guess)) == Some(Value::Bool(true)));
        }
    }
}

#[test]
fn what_cannot_hold_is_refused() {
    let mut pool = TermPool::new();
    let mut guess = Guess::default();
    let (never, x) = (pool.bool(false), pool.var("x", Sort::BitVec(32)));
    assert!(!guess.require(&pool, never));
    let (three, four) = (pool.bits(32, 3), pool.bits(32, 4));
    let (is_three, is_four) = (pool.eq(x, three), pool.eq(x, four));
    let mark = guess.mark();
    assert!(guess.require(&pool, is_three) && !guess.require(&pool, is_four));
    assert!(guess.holds(&pool, is_three));
    guess.back_to(mark);
    assert!(guess.require(&pool, is_four) && !guess.require(&pool, is_three));
}

/// A condition of `require_always` is given once; later conditions must not be accepted without it.
#[test]
fn a_fact_that_did_not_hold_at_once_is_not_forgotten() {
    let mut pool = TermPool::new();
    let mut guess = Guess::default();
    let x = pool.var("x", Sort::BitVec(32));
    let (three, four) = (pool.bits(32, 3), pool.bits(32, 4));
    let (is_three, is_four) = (pool.eq(x, three), pool.eq(x, four));
    let mark = guess.mark();
    assert!(guess.require(&pool, is_three));
    assert!(!guess.require_always(&pool, is_four));
    let free = pool.var("free", Sort::Bool);
    assert!(!guess.require(&pool, free), "the fact is still owed");
    guess.back_to(mark);
    assert!(guess.require(&pool, free) && guess.holds(&pool, is_four));
    assert!(!guess.require(&pool, is_three));
}

#[test]
fn a_condition_over_very_many_unknowns_is_kept_too() {
    let mut pool = TermPool::new();
    let mut guess = Guess::default();
    let all: Vec<Term> = (0..100).map(|i| pool.var(&format!("x{i}"), Sort::BitVec(32))).collect();
    let sum = all.iter().skip(1).fold(all[0], |sum, &x| pool.bv_add(sum, x));
    let thousand = pool.bits(32, 1000);
    let mut accepted = vec![pool.eq(sum, thousand)];
    assert!(guess.require(&pool, accepted[0]));
    for (i, &x) in all.iter().enumerate() {
        let value = pool.bits(32, 3 * i as u128);
        let fixed = pool.eq(x, value);
        if guess.require(&pool, fixed) {
            accepted.push(fixed);
        }
        assert_all_hold(&pool, &guess, &accepted);
    }
    assert!(accepted.len() > 2, "nothing was tried");
}

/// What a test builds its conditions with.
struct Builder {
    pool: TermPool,
}

impl Builder {
    fn var(&mut self, name: &str, width: u32) -> Term {
        self.pool.var(name, Sort::BitVec(width))
    }

    fn equal(&mut self, term: Term, value: u128) -> Term {
        let constant = self.pool.bits(self.pool.width(term), value);
        self.pool.eq(term, constant)
    }

    fn with(&mut self, op: BinaryOp, term: Term, value: u128) -> Term {
        let constant = self.pool.bits(self.pool.width(term), value);
        self.pool.binary(op, term, constant)
    }
}

/// Are all conditions accepted, one after the other, and do they hold?
fn solves(conditions: impl FnOnce(&mut Builder) -> Vec<Term>) {
    let mut builder = Builder { pool: TermPool::new() };
    let conditions = conditions(&mut builder);
    let mut guess = Guess::default();
    for &condition in &conditions {
        assert!(guess.require(&builder.pool, condition), "{:?}", builder.pool.node(condition));
    }
    assert_all_hold(&builder.pool, &guess, &conditions);
}

#[test]
fn equalities_through_casts() {
    solves(|b| {
        let c = b.var("c", 8);
        let (int, long) = (b.pool.sign_extend(24, c), b.pool.zero_extend(56, c));
        vec![b.equal(int, 0xffff_ff80), b.equal(long, 0x80)]
    });
    solves(|b| {
        let n = b.var("n", 64);
        let (low, high) = (b.pool.extract(7, 0, n), b.pool.extract(63, 32, n));
        vec![b.equal(low, 0x41), b.equal(high, 9)]
    });
    solves(|b| {
        let (high, low) = (b.var("high", 8), b.var("low", 8));
        let whole = b.pool.concat(high, low);
        vec![b.equal(whole, 0x1234)]
    });
}

#[test]
fn masks_and_shifts() {
    solves(|b| {
        let flags = b.var("flags", 32);
        let (four, twelve) = (b.with(BinaryOp::And, flags, 4), b.with(BinaryOp::And, flags, 0x30));
        let no_four = b.equal(four, 0);
        vec![b.pool.not(no_four), b.equal(twelve, 0x20)]
    });
    // The first and the later bytes of UTF-8, in `char`s.
    solves(|b| {
        let (first, later) = (b.var("first", 8), b.var("later", 8));
        let (first, later) = (b.pool.sign_extend(24, first), b.pool.sign_extend(24, later));
        let (first, later) = (b.with(BinaryOp::And, first, 0xc0), b.with(BinaryOp::And, later, 0xc0));
        vec![b.equal(first, 0xc0), b.equal(later, 0x80)]
    });
    solves(|b| {
        let x = b.var("x", 32);
        let (up, down) = (b.with(BinaryOp::Shl, x, 4), b.with(BinaryOp::LShr, x, 8));
        vec![b.equal(down, 3), b.equal(up, 0x3010)]
    });
    // A bit-field, one of whose neighbours was just set.
    solves(|b| {
        let x = b.var("x", 8);
        let others = b.with(BinaryOp::And, x, 0xbf);
        let fields = b.with(BinaryOp::Or, others, 0x40);
        let last = b.with(BinaryOp::LShr, fields, 7);
        vec![b.equal(last, 1)]
    });
    solves(|b| {
        let x = b.var("x", 32);
        let sign = b.with(BinaryOp::AShr, x, 31);
        vec![b.equal(sign, u128::MAX)]
    });
}

#[test]
fn products_that_are_large_enough() {
    solves(|b| {
        let (number, digit) = (b.var("number", 64), b.var("digit", 8));
        let digit = b.pool.zero_extend(56, digit);
        let tenfold = b.with(BinaryOp::Mul, number, 10);
        let next = b.pool.bv_add(tenfold, digit);
        let most = b.pool.bits(64, 0x0ccc_cccc_cccc_cccb);
        vec![b.pool.bv_sle(most, next)]
    });
    solves(|b| {
        let (distinct, rows) = (b.var("distinct", 32), b.var("rows", 32));
        let (distinct, rows) = (b.with(BinaryOp::Mul, distinct, 11), b.with(BinaryOp::Mul, rows, 10));
        let (distinct, rows) = (b.pool.zero_extend(32, distinct), b.pool.zero_extend(32, rows));
        vec![b.pool.bv_ult(distinct, rows)]
    });
}

#[test]
fn products_quotients_and_remainders() {
    solves(|b| {
        let i = b.var("i", 64);
        let offset = b.with(BinaryOp::Mul, i, 24);
        vec![b.equal(offset, 24 * 17)]
    });
    solves(|b| {
        let x = b.var("x", 32);
        let hashed = b.with(BinaryOp::Mul, x, 0x9e37_79b1);
        vec![b.equal(hashed, 12345)]
    });
    solves(|b| {
        let x = b.var("x", 32);
        let (quotient, remainder) = (b.with(BinaryOp::UDiv, x, 10), b.with(BinaryOp::URem, x, 10));
        vec![b.equal(quotient, 42), b.equal(remainder, 0)]
    });
}

#[test]
fn sizes_are_multiples_or_powers_of_two() {
    solves(|b| {
        let n = b.var("n", 32);
        let wide = b.pool.zero_extend(32, n);
        let (bytes, limit) = (b.with(BinaryOp::Mul, wide, 16), b.pool.bits(64, 1024));
        vec![b.pool.bv_ult(limit, bytes)]
    });
    solves(|b| {
        let size = b.var("size", 32);
        let below = b.with(BinaryOp::Sub, size, 1);
        let (common, limit) = (b.pool.bv_and(size, below), b.pool.bits(32, 65536));
        vec![b.equal(common, 0), b.pool.bv_slt(limit, size)]
    });
    solves(|b| {
        let long = b.var("long", 64);
        let low = b.with(BinaryOp::And, long, 0xffff_ffff);
        let fits = b.pool.eq(low, long);
        vec![b.pool.not(fits)]
    });
}

/// Another path needed a huge negative product.
#[test]
fn values_that_another_way_left_behind_are_no_hindrance() {
    let mut b = Builder { pool: TermPool::new() };
    let (count, limit) = (b.var("count", 32), b.var("limit", 16));
    let (twice, wide) = (b.pool.binary(BinaryOp::SDiv, count, count), b.pool.zero_extend(16, limit));
    let rounded = b.pool.binary(BinaryOp::Mul, twice, count);
    let (odd, no_zero) = (b.equal(count, 0x8000_0000), b.equal(count, 0));
    let (no_zero, fits) = (b.pool.not(no_zero), b.pool.bv_slt(wide, rounded));
    let mut guess = Guess::default();
    let start = guess.mark();
    assert!(guess.require(&b.pool, odd));
    guess.back_to(start);
    assert!(guess.require(&b.pool, no_zero) && guess.require(&b.pool, fits));
    assert_all_hold(&b.pool, &guess, &[no_zero, fits]);
}

#[test]
fn relations_between_unknowns() {
    solves(|b| {
        let (i, n) = (b.var("i", 32), b.var("n", 32));
        let zero = b.pool.bits(32, 0);
        let next = b.with(BinaryOp::Add, i, 1);
        vec![b.pool.bv_sle(zero, i), b.pool.bv_slt(i, n), b.pool.bv_slt(next, n)]
    });
    solves(|b| {
        let (p, end) = (b.var("p", 64), b.var("end", 64));
        let distance = b.pool.bv_sub(end, p);
        vec![b.pool.bv_ult(p, end), b.equal(distance, 16)]
    });
    solves(|b| {
        let (x, y) = (b.var("x", 32), b.var("y", 32));
        let sum = b.pool.bv_add(x, y);
        let same = b.pool.eq(x, y);
        vec![b.equal(sum, 100), b.pool.not(same)]
    });
}

#[test]
fn choices() {
    solves(|b| {
        let (p, q) = (b.pool.var("p", Sort::Bool), b.pool.var("q", Sort::Bool));
        let (x, y) = (b.var("x", 32), b.var("y", 32));
        let (one, two) = (b.pool.bits(32, 1), b.pool.bits(32, 2));
        let constant = b.pool.ite(p, one, two);
        let chosen = b.pool.ite(q, x, y);
        let not_p = b.pool.not(p);
        vec![b.equal(constant, 2), not_p, b.equal(chosen, 77), b.pool.or(p, q)]
    });
    solves(|b| {
        let x = b.var("x", 8);
        let (space, tab) = (b.equal(x, 32), b.equal(x, 9));
        vec![b.pool.or(space, tab), b.pool.not(space)]
    });
}
