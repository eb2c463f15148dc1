//! Values of an exact run: bits, whether they are in doubt, and, as a hint for the search, the term over the inputs.

use gainsay_ir::eval;
use gainsay_ir::gc::{BinaryOp, CastOp, UnaryOp};
use gainsay_ir::types::{BOOL, Type};
use gainsay_term::{Sort, Term, TermPool};
use gainsay_vc::operators;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ExactValue {
    pub(super) bits: u128,
    /// The value as a function of the inputs, where that is tracked.
    pub(super) term: Option<Term>,
    /// Only an over-approximation of it is known.
    pub(super) doubtful: bool,
}

impl ExactValue {
    pub(super) const DOUBTFUL: ExactValue = ExactValue { bits: 0, term: None, doubtful: true };

    pub(super) fn known(bits: u128) -> ExactValue {
        ExactValue { bits, term: None, doubtful: false }
    }

    pub(super) fn boolean(holds: bool) -> ExactValue {
        ExactValue::known(u128::from(holds))
    }

    pub(super) fn is_true(&self) -> bool {
        self.bits & 1 == 1
    }

    /// The value as a term.
    pub(super) fn to_term(self, pool: &mut TermPool, sort: Sort) -> Term {
        match (self.term, sort) {
            (Some(term), _) => term,
            (None, Sort::BitVec(width)) => pool.bits(width, self.bits),
            (None, _) => pool.bool(self.is_true()),
        }
    }
}

pub(super) fn sort_of(ty: Type, pointer_bits: u16) -> Sort {
    match ty {
        BOOL => Sort::Bool,
        ty => Sort::BitVec(u32::from(ty.bits(pointer_bits))),
    }
}

pub(super) fn unary(
    pool: &mut TermPool,
    op: UnaryOp,
    ty: Type,
    a: ExactValue,
    pointer_bits: u16,
) -> ExactValue {
    let Some(bits) = eval::unary(op, ty, a.bits, pointer_bits) else { return ExactValue::DOUBTFUL };
    let term = a.term.and_then(|term| operators::unary(pool, op, term));
    let overflows = op == UnaryOp::Neg && overflows(BinaryOp::Sub, ty, 0, a.bits);
    ExactValue { bits, term, doubtful: a.doubtful || overflows }
}

pub(super) fn cast(
    pool: &mut TermPool,
    op: CastOp,
    (from, to): (Type, Type),
    a: ExactValue,
    pointer_bits: u16,
) -> ExactValue {
    let Some(bits) = eval::cast(op, from, to, a.bits, pointer_bits) else { return ExactValue::DOUBTFUL };
    let term = a.term.and_then(|term| operators::cast(pool, op, to, term, pointer_bits));
    ExactValue { bits, term, doubtful: a.doubtful }
}

pub(super) fn ite(
    pool: &mut TermPool,
    c: ExactValue,
    a: ExactValue,
    b: ExactValue,
    sort: Sort,
) -> ExactValue {
    let chosen = if c.is_true() { a } else { b };
    let term = match c.term {
        None => chosen.term,
        Some(condition) => {
            let (yes, no) = (a.to_term(pool, sort), b.to_term(pool, sort));
            Some(pool.ite(condition, yes, no))
        }
    };
    ExactValue { bits: chosen.bits, term, doubtful: c.doubtful || chosen.doubtful }
}

pub(super) fn binary(
    pool: &mut TermPool,
    op: BinaryOp,
    ty: Type,
    a: ExactValue,
    b: ExactValue,
    pointer_bits: u16,
) -> ExactValue {
    let Some(bits) = eval::binary(op, ty, a.bits, b.bits, pointer_bits) else { return ExactValue::DOUBTFUL };
    // The result is undefined or unspecified in C.
    let is_undefined = match op {
        BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem => b.bits == 0,
        BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => b.bits >= u128::from(ty.bits(pointer_bits)),
        _ => overflows(op, ty, a.bits, b.bits),
    };
    let is_undefined = is_undefined || op == BinaryOp::Shl && overflows(op, ty, a.bits, b.bits);
    let absorbs = match op {
        BinaryOp::And | BinaryOp::Mul => [a, b].iter().any(|side| side.bits == 0 && !side.doubtful),
        _ => false,
    };
    let doubtful = is_undefined || (a.doubtful || b.doubtful) && !absorbs;
    let is_symbolic = a.term.is_some() || b.term.is_some();
    let sort = sort_of(ty, pointer_bits);
    let term = if is_symbolic && !matches!(ty, Type::Float(_)) {
        let (a, b) = (a.to_term(pool, sort), b.to_term(pool, sort));
        // Orders of Booleans are not followed.
        let is_order = matches!(op, BinaryOp::ULt | BinaryOp::ULe | BinaryOp::SLt | BinaryOp::SLe);
        if sort == Sort::Bool && is_order { None } else { operators::binary(pool, op, a, b) }
    } else {
        None
    };
    ExactValue { bits, term, doubtful }
}

/// Does the result, read as signed, not fit? The commands do not tell signed from unsigned arithmetic, so every value
/// that wraps around is in doubt.
fn overflows(op: BinaryOp, ty: Type, a: u128, b: u128) -> bool {
    let Type::Int(bits @ 32..=64) = ty else { return false };
    let (a, b) = (eval::signed(a, bits), eval::signed(b, bits));
    let result = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Shl if (0..i128::from(bits)).contains(&b) => a << b,
        _ => return false,
    };
    eval::signed(result as u128, bits) != result
}
