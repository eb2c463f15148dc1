//! Integer arithmetic in initialisers that clang does not fold because it overflows. It wraps, as everywhere in
//! gainsay.

use super::build::{mask, sign_extend};
use crate::clang::ast::{BinaryOp, UnaryOp};

/// An integer type.
#[derive(Clone, Copy)]
pub(super) struct IntType {
    pub(super) bits: u16,
    pub(super) signed: bool,
}

impl IntType {
    /// Extends the value to 128 bits by its own signedness.
    pub(super) fn extend(self, bits: u128) -> u128 {
        if self.signed { sign_extend(bits, self.bits) } else { mask(bits, self.bits) }
    }
}

pub(super) fn unary(op: UnaryOp, a: u128, ty: IntType) -> Option<u128> {
    Some(ty.extend(match op {
        UnaryOp::Plus | UnaryOp::Extension => a,
        UnaryOp::Minus => a.wrapping_neg(),
        UnaryOp::BitNot => !a,
        _ => return None,
    }))
}

/// Operands are extended values of `ty`; the right operand of a shift may have another type.
pub(super) fn binary(op: BinaryOp, a: u128, b: u128, ty: IntType) -> Option<u128> {
    let shift = |b: u128| u32::try_from(b).ok().filter(|&b| b < u32::from(ty.bits));
    Some(ty.extend(match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => a ^ b,
        BinaryOp::Shl => a << shift(b)?,
        BinaryOp::Shr if ty.signed => (a.cast_signed() >> shift(b)?).cast_unsigned(),
        BinaryOp::Shr => a >> shift(b)?,
        _ => return None,
    }))
}
