//! What each operator computes on constant bits: the one definition that interpreter, witnesses and tests
//! share. Values are kept masked to their width.

use crate::gc::{BinaryOp, CastOp, UnaryOp};
use crate::types::{FloatKind, Type};

/// The low `bits` bits set.
pub fn mask(bits: u16) -> u128 {
    if bits >= 128 { u128::MAX } else { (1 << bits) - 1 }
}

/// The value of the low `bits` bits read as two's complement.
pub fn signed(value: u128, bits: u16) -> i128 {
    let unused = 128 - u32::from(bits.clamp(1, 128));
    ((value << unused) as i128) >> unused
}

/// `None` for float formats whose arithmetic is not modelled.
pub fn unary(op: UnaryOp, ty: Type, a: u128, pointer_bits: u16) -> Option<u128> {
    let bits = ty.bits(pointer_bits);
    match op {
        UnaryOp::Not => Some(!a & mask(bits)),
        UnaryOp::Neg => Some(a.wrapping_neg() & mask(bits)),
        // A sign bit exists in all formats.
        UnaryOp::FNeg => Some(a ^ (1 << (bits - 1))),
    }
}

/// `None` for float formats whose arithmetic is not modelled. Division by zero and shifts past the width
/// give 0, one of the values they may give.
pub fn binary(op: BinaryOp, ty: Type, a: u128, b: u128, pointer_bits: u16) -> Option<u128> {
    match ty {
        Type::Float(FloatKind::F64) => Some(float64(op, f64::from_bits(a as u64), f64::from_bits(b as u64))),
        Type::Float(FloatKind::F32) => Some(float32(op, f32::from_bits(a as u32), f32::from_bits(b as u32))),
        Type::Float(_) => None,
        Type::Int(_) | Type::Ptr => Some(integer(op, ty.bits(pointer_bits), a, b)),
    }
}

fn integer(op: BinaryOp, bits: u16, a: u128, b: u128) -> u128 {
    use BinaryOp::*;
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    let fits = b < u128::from(bits);
    let value = match op {
        Add | PtrAdd => a.wrapping_add(b),
        Sub | PtrSub => a.wrapping_sub(b),
        Mul => a.wrapping_mul(b),
        UDiv => a.checked_div(b).unwrap_or(0),
        URem => a.checked_rem(b).unwrap_or(0),
        SDiv => {
            if b == 0 {
                0
            } else {
                sa.wrapping_div(sb) as u128
            }
        }
        SRem => {
            if b == 0 {
                0
            } else {
                sa.wrapping_rem(sb) as u128
            }
        }
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        Shl if fits => a << b,
        LShr if fits => a >> b,
        AShr if fits => (sa >> b) as u128,
        Shl | LShr | AShr => 0,
        Eq => u128::from(a == b),
        Ne => u128::from(a != b),
        ULt => u128::from(a < b),
        ULe => u128::from(a <= b),
        SLt => u128::from(sa < sb),
        SLe => u128::from(sa <= sb),
        FAdd | FSub | FMul | FDiv | FEq | FLt | FLe => 0,
    };
    value & mask(bits)
}

fn float64(op: BinaryOp, a: f64, b: f64) -> u128 {
    use BinaryOp::*;
    let value = match op {
        FAdd => a + b,
        FSub => a - b,
        FMul => a * b,
        FDiv => a / b,
        FEq => return u128::from(a == b),
        FLt => return u128::from(a < b),
        FLe => return u128::from(a <= b),
        _ => 0.0,
    };
    value.to_bits().into()
}

fn float32(op: BinaryOp, a: f32, b: f32) -> u128 {
    use BinaryOp::*;
    let value = match op {
        FAdd => a + b,
        FSub => a - b,
        FMul => a * b,
        FDiv => a / b,
        FEq => return u128::from(a == b),
        FLt => return u128::from(a < b),
        FLe => return u128::from(a <= b),
        _ => 0.0,
    };
    value.to_bits().into()
}

/// `None` for float formats whose arithmetic is not modelled.
pub fn cast(op: CastOp, from: Type, to: Type, a: u128, pointer_bits: u16) -> Option<u128> {
    let (from_bits, to_bits) = (from.bits(pointer_bits), to.bits(pointer_bits));
    match op {
        CastOp::ZeroExtend | CastOp::Truncate | CastOp::PtrToInt | CastOp::IntToPtr => {
            Some(a & mask(to_bits))
        }
        CastOp::SignExtend => Some(signed(a, from_bits) as u128 & mask(to_bits)),
        CastOp::FloatToSigned => Some(float_to_signed(to_double(from, a)?, to_bits) & mask(to_bits)),
        CastOp::FloatToUnsigned => Some(float_to_unsigned(to_double(from, a)?, to_bits) & mask(to_bits)),
        CastOp::SignedToFloat => {
            let value = signed(a, from_bits);
            from_float(to, value as f64, value as f32)
        }
        CastOp::UnsignedToFloat => from_float(to, a as f64, a as f32),
        CastOp::FloatToFloat => {
            let value = to_double(from, a)?;
            from_float(to, value, value as f32)
        }
    }
}

fn to_double(from: Type, bits: u128) -> Option<f64> {
    match from {
        Type::Float(FloatKind::F64) => Some(f64::from_bits(bits as u64)),
        Type::Float(FloatKind::F32) => Some(f32::from_bits(bits as u32).into()),
        _ => None,
    }
}

/// Both roundings are given, because rounding twice is not rounding once.
fn from_float(to: Type, double: f64, single: f32) -> Option<u128> {
    match to {
        Type::Float(FloatKind::F64) => Some(double.to_bits().into()),
        Type::Float(FloatKind::F32) => Some(single.to_bits().into()),
        _ => None,
    }
}

/// As x86 does it: out of range gives the smallest number of the instruction's width.
fn float_to_signed(value: f64, bits: u16) -> u128 {
    match bits {
        0..=32 => convert(value, 32),
        33..=64 => convert(value, 64),
        _ => value as i128 as u128,
    }
}

fn float_to_unsigned(value: f64, bits: u16) -> u128 {
    // not a limit: 2 to the power of 63
    const HALF: f64 = 9_223_372_036_854_775_808.0;
    match bits {
        0..=16 => convert(value, 32),
        17..=32 => convert(value, 64),
        33..=64 if value < HALF => convert(value, 64),
        33..=64 => convert(value - HALF, 64) ^ (1 << 63),
        _ => value as u128,
    }
}

/// `cvttsd2si` with a result of 32 or 64 bits.
fn convert(value: f64, bits: u16) -> u128 {
    let limit = 2f64.powi(i32::from(bits) - 1);
    let whole = value.trunc();
    if whole >= -limit && whole < limit { whole as i64 as u128 } else { 1 << (bits - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_out_of_range_become_what_x86_makes_of_them() {
        let double = Type::Float(FloatKind::F64);
        let to = |op, value: f64, bits| cast(op, double, Type::Int(bits), value.to_bits().into(), 64);
        assert_eq!(to(CastOp::FloatToSigned, -3.7, 32), Some(0xffff_fffd));
        assert_eq!(to(CastOp::FloatToSigned, 1e10, 32), Some(0x8000_0000));
        assert_eq!(to(CastOp::FloatToSigned, f64::NAN, 64), Some(1 << 63));
        assert_eq!(to(CastOp::FloatToUnsigned, -1.0, 32), Some(0xffff_ffff));
        assert_eq!(to(CastOp::FloatToUnsigned, 1e19, 64), Some(10_000_000_000_000_000_000));
    }

    #[test]
    fn signed_division_truncates_and_wraps() {
        let divide = |op, a: u128, b: u128| binary(op, Type::Int(8), a, b, 64);
        assert_eq!(divide(BinaryOp::SDiv, 0xf9, 2), Some(0xfd));
        assert_eq!(divide(BinaryOp::SRem, 0xf9, 2), Some(0xff));
        assert_eq!(divide(BinaryOp::SDiv, 0x80, 0xff), Some(0x80));
        assert_eq!(divide(BinaryOp::AShr, 0x80, 7), Some(0xff));
        assert_eq!(divide(BinaryOp::Shl, 1, 8), Some(0));
    }
}
