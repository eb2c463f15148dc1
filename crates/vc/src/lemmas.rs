//! Trichotomy lemmas: of two numbers, one is smaller or they are equal. A SAT solver needs thousands of conflicts to derive that
//! bit by bit, so it is stated for each pair of unknowns that a function compares with more than one operator.

use gainsay_term::{CompareOp, Node, Term, TermPool};
use std::collections::BTreeMap;

/// The comparisons of a lower and a higher term that there are.
#[derive(Clone, Copy, Default)]
struct Compared {
    equal: Option<Term>,
    /// Less and greater, signed.
    signed: [Option<Term>; 2],
    unsigned: [Option<Term>; 2],
}

pub(super) fn order(pool: &mut TermPool) -> Vec<Term> {
    let mut pairs: BTreeMap<(Term, Term), Compared> = BTreeMap::new();
    for term in pool.terms() {
        let (a, b) = match pool.node(term) {
            Node::Compare(_, a, b) => (a, b),
            Node::Eq(a, b) if pool.width(a) > 1 => (a, b),
            _ => continue,
        };
        if pool.is_constant(a) || pool.is_constant(b) {
            continue;
        }
        let pair = pairs.entry((a.min(b), a.max(b))).or_default();
        let is_swapped = usize::from(a > b);
        match pool.node(term) {
            Node::Compare(CompareOp::SLt, ..) => pair.signed[is_swapped] = Some(term),
            Node::Compare(CompareOp::ULt, ..) => pair.unsigned[is_swapped] = Some(term),
            _ => pair.equal = Some(term),
        }
    }
    let mut lemmas = Vec::new();
    for pair in pairs.into_values() {
        for [less, greater] in [pair.signed, pair.unsigned] {
            trichotomy(pool, [less, greater, pair.equal], &mut lemmas);
        }
    }
    lemmas
}

/// At most one of them holds, and one does if all three occur.
fn trichotomy(pool: &mut TermPool, all: [Option<Term>; 3], lemmas: &mut Vec<Term>) {
    for (x, y) in [(all[0], all[1]), (all[0], all[2]), (all[1], all[2])] {
        if let (Some(x), Some(y)) = (x, y) {
            let both = pool.and(x, y);
            lemmas.push(pool.not(both));
        }
    }
    if let [Some(less), Some(greater), Some(equal)] = all {
        lemmas.push(pool.any(&[less, greater, equal]));
    }
}
