//! Values of an exact run: bits, whether they are in doubt, and, as a hint for the search, the term over the inputs.

use gainsay_ir::eval;
use gainsay_ir::gc::{BinaryOp, CastOp, UnaryOp};
use gainsay_ir::types::{BOOL, Type};
use gainsay_term::{Sort, Term, TermPool};

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
    let term = a.term.and_then(|term| match (op, pool.sort(term)) {
        (UnaryOp::Not, Sort::Bool) => Some(pool.not(term)),
        (UnaryOp::Neg, Sort::Bool) => Some(term),
        (UnaryOp::Not, _) => Some(pool.bv_not(term)),
        (UnaryOp::Neg, _) => Some(pool.bv_neg(term)),
        (UnaryOp::FNeg, _) => None,
    });
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
    let width = u32::from(to.bits(pointer_bits));
    let term = a.term.and_then(|term| match (op, pool.sort(term)) {
        (CastOp::ZeroExtend | CastOp::SignExtend, Sort::Bool) => {
            let yes = pool.bits(width, if op == CastOp::SignExtend { u128::MAX } else { 1 });
            let no = pool.bits(width, 0);
            Some(pool.ite(term, yes, no))
        }
        (CastOp::ZeroExtend, _) => {
            let by = width - pool.width(term);
            Some(pool.zero_extend(by, term))
        }
        (CastOp::SignExtend, _) => {
            let by = width - pool.width(term);
            Some(pool.sign_extend(by, term))
        }
        (CastOp::Truncate, Sort::Bool) => Some(term),
        (CastOp::Truncate, _) if to == BOOL => {
            let bit = pool.extract(0, 0, term);
            let one = pool.bits(1, 1);
            Some(pool.eq(bit, one))
        }
        (CastOp::Truncate, _) => Some(pool.extract(width - 1, 0, term)),
        (CastOp::PtrToInt | CastOp::IntToPtr, Sort::BitVec(of)) if of == width => Some(term),
        _ => None,
    });
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
        binary_term(pool, op, sort, a, b)
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

fn binary_term(pool: &mut TermPool, op: BinaryOp, sort: Sort, a: Term, b: Term) -> Option<Term> {
    if sort == Sort::Bool {
        return match op {
            BinaryOp::And | BinaryOp::Mul => Some(pool.and(a, b)),
            BinaryOp::Or => Some(pool.or(a, b)),
            BinaryOp::Xor | BinaryOp::Add | BinaryOp::Sub | BinaryOp::Ne => Some(pool.xor(a, b)),
            BinaryOp::Eq => Some(pool.eq(a, b)),
            _ => None,
        };
    }
    Some(match op {
        BinaryOp::Add | BinaryOp::PtrAdd => pool.bv_add(a, b),
        BinaryOp::Sub | BinaryOp::PtrSub => pool.bv_sub(a, b),
        BinaryOp::Mul => pool.bv_mul(a, b),
        BinaryOp::UDiv => pool.bv_udiv(a, b),
        BinaryOp::SDiv => pool.bv_sdiv(a, b),
        BinaryOp::URem => pool.bv_urem(a, b),
        BinaryOp::SRem => pool.bv_srem(a, b),
        BinaryOp::And => pool.bv_and(a, b),
        BinaryOp::Or => pool.bv_or(a, b),
        BinaryOp::Xor => pool.bv_xor(a, b),
        BinaryOp::Shl => pool.bv_shl(a, b),
        BinaryOp::LShr => pool.bv_lshr(a, b),
        BinaryOp::AShr => pool.bv_ashr(a, b),
        BinaryOp::Eq => pool.eq(a, b),
        BinaryOp::Ne => pool.distinct(a, b),
        BinaryOp::ULt => pool.bv_ult(a, b),
        BinaryOp::ULe => pool.bv_ule(a, b),
        BinaryOp::SLt => pool.bv_slt(a, b),
        BinaryOp::SLe => pool.bv_sle(a, b),
        _ => return None,
    })
}
