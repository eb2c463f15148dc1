//! Where an access goes: so many bytes behind the start of a local object, or behind a pointer that a variable holds.

use crate::gc::{BinaryOp, Expr, ExprData, Function, Object, Var};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Root {
    Object(Object),
    /// What the variable points to.
    Var(Var),
}

#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) root: Root,
    pub(super) offset: Offset,
}

#[derive(Clone, Debug)]
pub(super) enum Offset {
    Constant(u64),
    /// Terms that are added; each is a multiple of this power of two.
    Sum(Vec<Expr>, u64),
}

/// What an address is computed from by adding offsets.
pub(super) fn root(f: &Function, addr: Expr) -> Option<Root> {
    let mut addr = addr;
    loop {
        match f.exprs[addr] {
            ExprData::Binary(BinaryOp::PtrAdd, pointer, _) => addr = pointer,
            ExprData::ObjectAddr(object) => return Some(Root::Object(object)),
            ExprData::Var(var) => return Some(Root::Var(var)),
            _ => return None,
        }
    }
}

pub(super) fn place(f: &Function, addr: Expr) -> Option<Place> {
    let root = root(f, addr)?;
    let mut constant: u64 = 0;
    let mut terms = Vec::new();
    let mut step = 1 << 63;
    let mut addr = addr;
    while let ExprData::Binary(BinaryOp::PtrAdd, pointer, offset) = f.exprs[addr] {
        match f.exprs[offset] {
            ExprData::Const(_, value) => constant = constant.wrapping_add(value as u64),
            _ => step = step.min(power_in(f, offset)),
        }
        terms.push(offset);
        addr = pointer;
    }
    if terms.iter().all(|&term| matches!(f.exprs[term], ExprData::Const(..))) {
        return Some(Place { root, offset: Offset::Constant(constant) });
    }
    if constant != 0 {
        step = step.min(1 << constant.trailing_zeros());
    }
    Some(Place { root, offset: Offset::Sum(terms, step) })
}

/// A power of two that surely divides the value.
fn power_in(f: &Function, expr: Expr) -> u64 {
    match f.exprs[expr] {
        ExprData::Const(_, 0) => 1 << 63,
        ExprData::Const(_, value) => 1 << value.trailing_zeros().min(63),
        ExprData::Binary(BinaryOp::Mul, a, b) => power_in(f, a).saturating_mul(power_in(f, b)).min(1 << 63),
        ExprData::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => power_in(f, a).min(power_in(f, b)),
        _ => 1,
    }
}
