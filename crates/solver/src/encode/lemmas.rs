//! Of two numbers one is smaller, or they are equal. Bit by bit that takes a SAT solver thousands of conflicts to find
//! out, so it is told wherever a function compares two unknowns in more than one way.

use crate::term::{CompareOp, Node, Term, TermPool};
use std::collections::BTreeMap;

#[derive(Clone, Copy, Default)]
struct Compared {
    ways: u32,
    signed: bool,
    unsigned: bool,
}

pub(super) fn order(pool: &mut TermPool) -> Vec<Term> {
    let mut pairs: BTreeMap<(Term, Term), Compared> = BTreeMap::new();
    for term in pool.all_terms() {
        let (a, b, op) = match pool.node(term) {
            Node::Compare(op, a, b) => (a, b, Some(op)),
            Node::Eq(a, b) if pool.width(a) > 1 => (a, b, None),
            _ => continue,
        };
        if pool.is_constant(a) || pool.is_constant(b) {
            continue;
        }
        let pair = pairs.entry((a.min(b), a.max(b))).or_default();
        pair.ways += 1;
        pair.signed |= matches!(op, Some(CompareOp::SLt | CompareOp::SLe));
        pair.unsigned |= matches!(op, Some(CompareOp::ULt | CompareOp::ULe));
    }
    let mut lemmas = Vec::new();
    for ((a, b), pair) in pairs {
        if pair.ways < 2 {
            continue;
        }
        if pair.signed {
            let terms = [pool.bv_slt(a, b), pool.bv_slt(b, a), pool.bv_sle(a, b), pool.bv_sle(b, a)];
            trichotomy(pool, a, b, terms, &mut lemmas);
        }
        if pair.unsigned {
            let terms = [pool.bv_ult(a, b), pool.bv_ult(b, a), pool.bv_ule(a, b), pool.bv_ule(b, a)];
            trichotomy(pool, a, b, terms, &mut lemmas);
        }
    }
    lemmas
}

fn trichotomy(
    pool: &mut TermPool,
    a: Term,
    b: Term,
    [less, greater, at_most, at_least]: [Term; 4],
    lemmas: &mut Vec<Term>,
) {
    let equal = pool.eq(a, b);
    for (x, y) in [(less, greater), (less, equal), (greater, equal)] {
        let both = pool.and(x, y);
        lemmas.push(pool.not(both));
    }
    lemmas.push(pool.any(&[less, greater, equal]));
    let (not_greater, not_less) = (pool.not(greater), pool.not(less));
    lemmas.push(pool.eq(at_most, not_greater));
    lemmas.push(pool.eq(at_least, not_less));
}
