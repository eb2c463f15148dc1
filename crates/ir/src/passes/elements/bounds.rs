//! Where the indices of loops start and end.

use crate::eval;
use crate::expr::vars_of;
use crate::gc::{BinaryOp, Block, CastOp, CmdKind, Expr, ExprData, Function, Origin, Outcome, Unit, Var};
use crate::types::Type;
use std::collections::BTreeSet;

/// What a loop compares: `index` goes up to `bound`, or down to it.
#[derive(Clone, Copy)]
pub(super) struct Bound {
    pub(super) index: Expr,
    pub(super) bound: Expr,
    /// The last value is so much more than the bound.
    pub(super) more: i64,
    pub(super) at: Block,
}

/// Where loops that count upwards end.
pub(super) fn bounds(f: &Function, changing: &BTreeSet<Var>) -> Vec<Bound> {
    let mut bounds: Vec<Bound> = Vec::new();
    for (at, data) in &f.blocks {
        let is_loop = data.branch.is_some_and(|branch| {
            matches!(branch.origin, Origin::LoopEntry | Origin::LoopAgain | Origin::And)
                && branch.outcome == Outcome::True
        });
        let Some(CmdKind::Assume(holds)) = data.cmds.first().map(|cmd| &cmd.kind).filter(|_| is_loop) else {
            continue;
        };
        let ExprData::Binary(op, index, bound) = f.exprs[*holds] else { continue };
        let more = match op {
            BinaryOp::SLt | BinaryOp::ULt | BinaryOp::Ne => -1,
            BinaryOp::SLe | BinaryOp::ULe => 0,
            _ => continue,
        };
        let is_steady = vars_of(f, bound).is_some_and(|vars| vars.is_disjoint(changing));
        if is_steady && is_index(f, index) && f.ty(bound, 64).is_int() {
            bounds.push(Bound { index, bound, more, at });
        }
    }
    bounds
}

/// Where they start: constants that are assigned.
pub(super) fn starts(f: &mut Function) -> Vec<Bound> {
    let mut starts = Vec::new();
    for (at, data) in &f.blocks {
        for cmd in &data.cmds {
            if let CmdKind::Assign(var, value) = cmd.kind
                && matches!(f.exprs[value], ExprData::Const(Type::Int(_), _))
            {
                starts.push((var, value, at));
            }
        }
    }
    let bound = |(var, bound, at)| Bound { index: f.exprs.push(ExprData::Var(var)), bound, more: 0, at };
    starts.into_iter().map(bound).collect()
}

/// A variable, perhaps converted.
fn is_index(f: &Function, expr: Expr) -> bool {
    match f.exprs[expr] {
        ExprData::Var(_) => true,
        ExprData::Cast(CastOp::SignExtend | CastOp::ZeroExtend, _, of) => is_index(f, of),
        _ => false,
    }
}

pub(super) fn constant(unit: &Unit, f: &Function, expr: Expr) -> Option<u128> {
    let bits = unit.target.pointer_bits;
    match f.exprs[expr] {
        ExprData::Const(_, value) => Some(value),
        ExprData::Cast(op, to, a) => eval::cast(op, f.ty(a, bits), to, constant(unit, f, a)?, bits),
        ExprData::Binary(op, a, b) => {
            eval::binary(op, f.ty(a, bits), constant(unit, f, a)?, constant(unit, f, b)?, bits)
        }
        _ => None,
    }
}

/// The last index as C writes it: `n - 1`.
pub(super) fn text(unit: &Unit, f: &Function, bound: Bound) -> Option<String> {
    let (mut expr, mut more) = (bound.bound, i128::from(bound.more));
    loop {
        match f.exprs[expr] {
            ExprData::Cast(CastOp::SignExtend | CastOp::ZeroExtend, _, of) => expr = of,
            ExprData::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
                let value = eval::signed(constant(unit, f, b)?, f.ty(b, 64).bits(64));
                more += if op == BinaryOp::Add { value } else { -value };
                expr = a;
            }
            ExprData::Var(var) if f.vars[var].is_written_by_user() => {
                let name = f.vars[var].name.split('.').next().unwrap_or_default();
                return Some(match more {
                    0 => name.to_owned(),
                    1.. => format!("{name} + {more}"),
                    _ => format!("{name} - {}", -more),
                });
            }
            _ => return None,
        }
    }
}
