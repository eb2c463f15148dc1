//! Where the program asks whether a value is zero (NULL): the edges of its branches that say so.

use super::uses::without_conversions;
use crate::source::Source;
use gainsay_ir::gc::{Loc, Origin};
use gainsay_ir::passive::{Block, CmdKind, Function};
use gainsay_solver::encode::Vc;
use gainsay_solver::term::{CompareOp, Node};
use gainsay_solver::{Term, TermPool};

/// One outcome of a condition.
pub(super) struct Test {
    pub(super) edge: Block,
    pub(super) value: Term,
    /// On this edge the value is zero; else it is not.
    pub(super) is_zero: bool,
    pub(super) loc: Loc,
    pub(super) origin: Origin,
    pub(super) in_macro: bool,
}

pub(super) fn tests(function: &Function, vc: &Vc, source: &dyn Source) -> Vec<Test> {
    let mut tests = Vec::new();
    for (edge, data) in &function.blocks {
        let (Some(branch), Some(cmd)) = (data.branch, data.cmds.first()) else { continue };
        let CmdKind::Assume(condition) = cmd.kind else { continue };
        let Some(condition) = vc.term(condition).filter(|_| branch.origin != Origin::Model) else { continue };
        let mut facts = Vec::new();
        facts_of(&vc.pool, condition, true, &mut facts);
        if facts.is_empty() {
            continue;
        }
        let in_macro = source.is_in_macro_definition(cmd.loc);
        for (value, is_zero) in facts {
            tests.push(Test { edge, value, is_zero, loc: cmd.loc, origin: branch.origin, in_macro });
        }
    }
    tests
}

/// Values of which the condition says whether they are zero.
fn facts_of(pool: &TermPool, condition: Term, holds: bool, facts: &mut Vec<(Term, bool)>) {
    let mut add = |value: Term, is_zero: bool| {
        if !pool.is_constant(value) {
            facts.push((without_conversions(pool, value), is_zero));
        }
    };
    match pool.node(condition) {
        Node::Not(of) => facts_of(pool, of, !holds, facts),
        Node::And(a, b) if holds => {
            facts_of(pool, a, holds, facts);
            facts_of(pool, b, holds, facts);
        }
        Node::Or(a, b) if !holds => {
            facts_of(pool, a, holds, facts);
            facts_of(pool, b, holds, facts);
        }
        Node::Eq(a, b) => match (pool.as_bits(a), pool.as_bits(b)) {
            (None, Some(number)) | (Some(number), None) => {
                let value = if pool.is_constant(a) { b } else { a };
                match (number, holds) {
                    (0, holds) => add(value, holds),
                    (_, true) => add(value, false),
                    (_, false) => {}
                }
            }
            _ => {}
        },
        // An order that zero does not satisfy.
        Node::Compare(op, a, b) => {
            let width = pool.width(a);
            let is_negative = |number: u128| number >> (width.max(1) - 1) & 1 == 1;
            let with_zero = match (pool.as_bits(a), pool.as_bits(b)) {
                // 0 < number
                (None, Some(number)) => match op {
                    CompareOp::ULt => number > 0,
                    CompareOp::SLt => number > 0 && !is_negative(number),
                },
                // number < 0
                (Some(number), None) => match op {
                    CompareOp::ULt => false,
                    CompareOp::SLt => is_negative(number),
                },
                _ => return,
            };
            let value = if pool.is_constant(a) { b } else { a };
            if with_zero != holds {
                add(value, false);
            } else if op == CompareOp::ULt && holds && pool.as_bits(b) == Some(1) {
                add(value, true);
            }
        }
        _ => {}
    }
}
