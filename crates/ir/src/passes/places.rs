//! The place of an access: an offset into a local object, or from a pointer that a variable holds.

use crate::eval;
use crate::gc::{BinaryOp, Expr, ExprData, Function, Object, Unit, Var};
use crate::types::Type;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Root {
    Object(Object),
    /// What the variable points to.
    Var(Var),
}

#[derive(Clone, Debug)]
pub(super) struct MemoryPlace {
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

pub(super) fn place(f: &Function, addr: Expr) -> Option<MemoryPlace> {
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
        return Some(MemoryPlace { root, offset: Offset::Constant(constant) });
    }
    if constant != 0 {
        step = step.min(1 << constant.trailing_zeros());
    }
    Some(MemoryPlace { root, offset: Offset::Sum(terms, step) })
}

/// An index into an array: a sum of multiples, and a constant.
#[derive(Clone, Debug)]
pub(super) struct Index {
    pub(super) terms: Vec<(Expr, u64)>,
    pub(super) constant: i64,
}

/// Which element of `bytes` bytes it is; `None` where that is not evident. This is not the offset divided by the size: an
/// index whose product with the size does not fit a word has no element in C.
pub(super) fn index(f: &Function, offset: &Offset, bytes: u64) -> Option<Index> {
    let terms = match offset {
        Offset::Constant(offset) if offset % bytes == 0 => {
            return Some(Index { terms: Vec::new(), constant: (*offset as i64) / bytes as i64 });
        }
        Offset::Constant(_) => return None,
        Offset::Sum(terms, _) => terms,
    };
    let mut index = Index { terms: Vec::new(), constant: 0 };
    for &term in terms {
        match f.exprs[term] {
            ExprData::Const(Type::Int(bits), value) => {
                let value = eval::signed(value, bits) as i64;
                if value % bytes as i64 != 0 {
                    return None;
                }
                index.constant = index.constant.checked_add(value / bytes as i64)?;
            }
            ExprData::Binary(BinaryOp::Mul, of, times) => match f.exprs[times] {
                ExprData::Const(_, times) if times != 0 && times % u128::from(bytes) == 0 => {
                    index.terms.push((of, times as u64 / bytes));
                }
                _ => return None,
            },
            _ => return None,
        }
    }
    Some(index)
}

impl Index {
    /// As a word.
    pub(super) fn expr(&self, unit: &Unit, f: &mut Function) -> Expr {
        let word = Type::Int(unit.target.pointer_bits);
        let constant = |value: u128| ExprData::Const(word, value & eval::mask(unit.target.pointer_bits));
        let mut sum = None;
        for &(term, times) in &self.terms {
            let term = match times {
                1 => term,
                times => {
                    let times = f.exprs.push(constant(u128::from(times)));
                    f.exprs.push(ExprData::Binary(BinaryOp::Mul, term, times))
                }
            };
            sum = Some(match sum {
                None => term,
                Some(sum) => f.exprs.push(ExprData::Binary(BinaryOp::Add, sum, term)),
            });
        }
        let rest = constant(self.constant as u128);
        match sum {
            Some(sum) if self.constant == 0 => sum,
            Some(sum) => {
                let rest = f.exprs.push(rest);
                f.exprs.push(ExprData::Binary(BinaryOp::Add, sum, rest))
            }
            None => f.exprs.push(rest),
        }
    }
}

/// A power of two that divides the value.
fn power_in(f: &Function, expr: Expr) -> u64 {
    match f.exprs[expr] {
        ExprData::Const(_, 0) => 1 << 63,
        ExprData::Const(_, value) => 1 << value.trailing_zeros().min(63),
        ExprData::Binary(BinaryOp::Mul, a, b) => power_in(f, a).saturating_mul(power_in(f, b)).min(1 << 63),
        ExprData::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => power_in(f, a).min(power_in(f, b)),
        _ => 1,
    }
}
