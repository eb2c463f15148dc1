//! Branch edges on which a condition decides whether a value is zero (NULL).

use super::uses::without_conversions;
use crate::source::Source;
use gainsay_ir::gc::{Loc, Origin};
use gainsay_ir::passive::{Block, CmdKind, Function};
use gainsay_term::{CompareOp, Node};
use gainsay_term::{Term, TermPool};
use gainsay_vc::Vc;

/// A branch edge whose condition compares a value with zero.
pub(super) struct ZeroTest {
    pub(super) edge: Block,
    pub(super) value: Term,
    /// The value is zero on this edge; otherwise it is not zero.
    pub(super) is_zero: bool,
    pub(super) loc: Loc,
    pub(super) origin: Origin,
    pub(super) in_macro: bool,
}

pub(super) fn tests(function: &Function, vc: &Vc, source: &dyn Source) -> Vec<ZeroTest> {
    let mut tests = Vec::new();
    for (edge, data) in &function.blocks {
        let (Some(branch), Some(cmd)) = (data.branch, data.cmds.first()) else { continue };
        let CmdKind::Assume(condition) = cmd.kind else { continue };
        let Some(condition) = vc.term(condition).filter(|_| branch.origin != Origin::Model) else { continue };
        let Some((value, is_zero)) = fact_of(&vc.pool, condition, true) else { continue };
        // In `x ? a : b` of a macro definition, `x` may be a macro argument; the choice is the macro's.
        let is_operand = matches!(branch.origin, Origin::Conditional | Origin::And | Origin::Or);
        let in_macro =
            source.is_in_macro_definition(cmd.loc) || is_operand && source.is_macro_argument(cmd.loc);
        tests.push(ZeroTest { edge, value, is_zero, loc: cmd.loc, origin: branch.origin, in_macro });
    }
    tests
}

/// The value that the condition compares with zero, and whether it is zero. Operands of `&&` and `||` are
/// branches of their own; a conjunction inside a term comes from a flag variable and the conditions under
/// which it was set.
fn fact_of(pool: &TermPool, condition: Term, holds: bool) -> Option<(Term, bool)> {
    let fact = |value: Term, is_zero: bool| {
        (!pool.is_constant(value)).then(|| (without_conversions(pool, value), is_zero))
    };
    match pool.node(condition) {
        Node::Not(of) => fact_of(pool, of, !holds),
        Node::Eq(a, b) => {
            let (value, number) = match (pool.as_bits(a), pool.as_bits(b)) {
                (None, Some(number)) => (a, number),
                (Some(number), None) => (b, number),
                _ => return None,
            };
            match (number, holds) {
                (0, is_zero) => fact(value, is_zero),
                (_, true) => fact(value, false),
                (_, false) => None,
            }
        }
        // A comparison that zero does not satisfy.
        Node::Compare(op, a, b) => {
            let is_negative = |number: u128| number >> (pool.width(a).max(1) - 1) & 1 == 1;
            let (value, zero_does) = match (op, pool.as_bits(a), pool.as_bits(b)) {
                (CompareOp::ULt, None, Some(1)) if holds => return fact(a, true),
                (CompareOp::ULt, None, Some(number)) => (a, number > 0),
                (CompareOp::SLt, None, Some(number)) => (a, number > 0 && !is_negative(number)),
                (CompareOp::ULt, Some(_), None) => (b, false),
                (CompareOp::SLt, Some(number), None) => (b, is_negative(number)),
                _ => return None,
            };
            if zero_does == holds { None } else { fact(value, false) }
        }
        _ => None,
    }
}
