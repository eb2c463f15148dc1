//! Formulas: hash-consed terms over Booleans, bit-vectors and arrays of bit-vectors. Read this file first, then `build` (the
//! constructors and what they simplify), `eval` and `local_search`.
//!
//! Equal terms have equal ids, and a term's operands always have smaller ids than the term itself, so that every
//! walk over a formula is a loop over ids and never a recursion, however deep the formula is.

pub mod bits;
mod build;
mod eval;
mod limits;
pub mod local_search;
mod value;

pub use bits::{BinaryOp, CompareOp, FOLDED_WIDTH};
pub use eval::{Assignment, eval};
pub use value::{ArrayValue, Value};

use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use std::collections::hash_map::Entry;

/// A term of one [`TermPool`]; meaningless in any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(u32);

impl Term {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sort {
    Bool,
    /// At least one bit. Constants and folding stop at [`FOLDED_WIDTH`] bits, formulas do not.
    BitVec(u32),
    /// From bit-vectors of `index` bits to bit-vectors of `element` bits.
    Array {
        index: u32,
        element: u32,
    },
}

/// What a term is made of. `implies`, `distinct` and the like are built from these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    Bool(bool),
    Bits {
        width: u32,
        value: u128,
    },
    /// An index into the pool's variables; see [`TermPool::name`].
    Var(u32),
    Not(Term),
    And(Term, Term),
    Or(Term, Term),
    Xor(Term, Term),
    /// Equality of two terms of the same sort, Booleans included.
    Eq(Term, Term),
    /// If-then-else of any sort.
    Ite(Term, Term, Term),
    BvNot(Term),
    Neg(Term),
    Binary(BinaryOp, Term, Term),
    Compare(CompareOp, Term, Term),
    /// The first operand holds the high bits.
    Concat(Term, Term),
    /// Bits `high` down to `low`, both included.
    Extract {
        high: u32,
        low: u32,
        of: Term,
    },
    ZeroExtend {
        by: u32,
        of: Term,
    },
    SignExtend {
        by: u32,
        of: Term,
    },
    Select(Term, Term),
    /// Array, index, element.
    Store(Term, Term, Term),
}

pub type Operands = SmallVec<[Term; 3]>;

impl Node {
    /// The terms directly below this one.
    pub fn operands(&self) -> Operands {
        match *self {
            Node::Bool(_) | Node::Bits { .. } | Node::Var(_) => Operands::new(),
            Node::Not(a)
            | Node::BvNot(a)
            | Node::Neg(a)
            | Node::Extract { of: a, .. }
            | Node::ZeroExtend { of: a, .. }
            | Node::SignExtend { of: a, .. } => smallvec![a],
            Node::And(a, b)
            | Node::Or(a, b)
            | Node::Xor(a, b)
            | Node::Eq(a, b)
            | Node::Binary(_, a, b)
            | Node::Compare(_, a, b)
            | Node::Concat(a, b)
            | Node::Select(a, b) => smallvec![a, b],
            Node::Ite(a, b, c) | Node::Store(a, b, c) => smallvec![a, b, c],
        }
    }
}

#[derive(Clone, Debug)]
struct Variable {
    name: String,
    term: Term,
    is_approximation: bool,
}

/// All terms of one problem. Dropped as a whole.
#[derive(Clone, Debug, Default)]
pub struct TermPool {
    nodes: Vec<Node>,
    sorts: Vec<Sort>,
    variables: Vec<Variable>,
    ids: FxHashMap<Node, Term>,
    by_name: FxHashMap<String, Term>,
}

impl TermPool {
    pub fn new() -> TermPool {
        TermPool::default()
    }

    /// With room for so many terms.
    pub fn with_capacity(terms: usize) -> TermPool {
        TermPool {
            nodes: Vec::with_capacity(terms),
            sorts: Vec::with_capacity(terms),
            ids: FxHashMap::with_capacity_and_hasher(terms, Default::default()),
            ..TermPool::default()
        }
    }

    pub fn node(&self, term: Term) -> Node {
        self.nodes[term.index()]
    }

    pub fn sort(&self, term: Term) -> Sort {
        self.sorts[term.index()]
    }

    /// How many terms there are; every term's index is smaller.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// All terms, operands before their users.
    pub fn terms(&self) -> impl Iterator<Item = Term> + use<> {
        self.terms_from(0)
    }

    /// Those that came after the first `count`.
    pub fn terms_from(&self, count: usize) -> impl Iterator<Item = Term> + use<> {
        (count as u32..self.nodes.len() as u32).map(Term)
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The size of all terms: one each, and more for products and quotients, in proportion to their width.
    pub fn weight(&self) -> u64 {
        let weigh = |node: &Node| match *node {
            Node::Binary(
                BinaryOp::Mul | BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem,
                a,
                _,
            ) => u64::from(self.width(a)) * 16,
            _ => 1,
        };
        self.nodes.iter().map(weigh).sum()
    }

    /// The number of bits of a bit-vector; 0 for anything else.
    pub fn width(&self, term: Term) -> u32 {
        match self.sort(term) {
            Sort::BitVec(width) => width,
            Sort::Bool | Sort::Array { .. } => 0,
        }
    }

    /// The variable of this name. A name has one sort.
    pub fn var(&mut self, name: &str, sort: Sort) -> Term {
        self.variable(name, sort, false)
    }

    /// A variable that stands for a value which the formulas do not determine although the program does.
    pub fn approximation(&mut self, name: &str, sort: Sort) -> Term {
        self.variable(name, sort, true)
    }

    /// Was the term made by [`TermPool::approximation`]?
    pub fn is_approximation(&self, term: Term) -> bool {
        match self.node(term) {
            Node::Var(number) => self.variables[number as usize].is_approximation,
            _ => false,
        }
    }

    fn variable(&mut self, name: &str, sort: Sort, is_approximation: bool) -> Term {
        if let Some(&term) = self.by_name.get(name) {
            debug_assert_eq!(self.sort(term), sort, "variable {name} has two sorts");
            return term;
        }
        let number = self.variables.len() as u32;
        let term = self.intern(Node::Var(number), sort);
        self.variables.push(Variable { name: name.to_owned(), term, is_approximation });
        self.by_name.insert(name.to_owned(), term);
        term
    }

    /// The name of the variable with this number, as [`Node::Var`] holds it.
    pub fn name(&self, variable: u32) -> &str {
        &self.variables[variable as usize].name
    }

    /// All variables in the order of their creation.
    pub fn variables(&self) -> impl Iterator<Item = Term> + '_ {
        self.variables.iter().map(|variable| variable.term)
    }

    /// The conditions that a conjunction consists of, in order.
    pub fn conjuncts(&self, condition: Term) -> Vec<Term> {
        let mut stack = vec![condition];
        let mut found = Vec::new();
        while let Some(term) = stack.pop() {
            match self.node(term) {
                Node::And(a, b) => stack.extend([b, a]),
                _ => found.push(term),
            }
        }
        found
    }

    /// Every term that the roots consist of, themselves included, operands before users.
    pub fn subterms(&self, roots: &[Term]) -> Vec<Term> {
        let mut seen = vec![false; self.len()];
        let mut stack = roots.to_vec();
        let mut found = Vec::new();
        while let Some(term) = stack.pop() {
            if !std::mem::replace(&mut seen[term.index()], true) {
                found.push(term);
                stack.extend(self.node(term).operands());
            }
        }
        found.sort_unstable();
        found
    }

    fn intern(&mut self, node: Node, sort: Sort) -> Term {
        match self.ids.entry(node) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let term = Term(self.nodes.len() as u32);
                entry.insert(term);
                self.nodes.push(node);
                self.sorts.push(sort);
                term
            }
        }
    }
}
