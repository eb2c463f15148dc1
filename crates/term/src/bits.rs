//! What the operators on bit-vectors compute, by the letter of SMT-LIB: division by zero gives all ones, the
//! remainder by zero is the dividend, shifts past the width give zeros or copies of the sign.
//!
//! This is the one definition that folding and evaluation share. Values are kept masked to their width.

/// The widest bit-vector that is computed. Wider ones occur in formulas (a product of two 128-bit numbers has 256 bits) but are never folded.
// not a limit: bits of `u128`
pub const FOLDED_WIDTH: u32 = 128;

/// Operators of two bit-vectors of one width that give another of the same width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    /// The sign follows the dividend.
    SRem,
    And,
    Or,
    Xor,
    Shl,
    LShr,
    AShr,
}

impl BinaryOp {
    pub const ALL: [BinaryOp; 13] = [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::UDiv,
        BinaryOp::SDiv,
        BinaryOp::URem,
        BinaryOp::SRem,
        BinaryOp::And,
        BinaryOp::Or,
        BinaryOp::Xor,
        BinaryOp::Shl,
        BinaryOp::LShr,
        BinaryOp::AShr,
    ];

    pub fn is_commutative(self) -> bool {
        matches!(self, BinaryOp::Add | BinaryOp::Mul | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor)
    }
}

/// Comparisons of two bit-vectors of one width; `a <= b` is `not (b < a)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CompareOp {
    ULt,
    SLt,
}

impl CompareOp {
    pub const ALL: [CompareOp; 2] = [CompareOp::ULt, CompareOp::SLt];
}

/// The low `width` bits set.
pub fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// The low `width` bits read as two's complement.
pub fn signed(value: u128, width: u32) -> i128 {
    let unused = 128 - width.clamp(1, 128);
    ((value << unused) as i128) >> unused
}

/// The least number that a signed reading of `width` bits can have, as bits.
pub fn signed_min(width: u32) -> u128 {
    1 << (width.clamp(1, 128) - 1)
}

pub fn binary(op: BinaryOp, width: u32, a: u128, b: u128) -> u128 {
    let (signed_a, signed_b) = (signed(a, width), signed(b, width));
    let shift = if b < u128::from(width) { Some(b as u32) } else { None };
    let value = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::UDiv => a.checked_div(b).unwrap_or(u128::MAX),
        BinaryOp::URem => a.checked_rem(b).unwrap_or(a),
        BinaryOp::SDiv if b == 0 => {
            if signed_a < 0 {
                1
            } else {
                u128::MAX
            }
        }
        BinaryOp::SDiv => signed_a.wrapping_div(signed_b) as u128,
        BinaryOp::SRem if b == 0 => a,
        BinaryOp::SRem => signed_a.wrapping_rem(signed_b) as u128,
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl => shift.map_or(0, |by| a << by),
        BinaryOp::LShr => shift.map_or(0, |by| a >> by),
        BinaryOp::AShr => (signed_a >> shift.unwrap_or(127)) as u128,
    };
    value & mask(width)
}

pub fn compare(op: CompareOp, width: u32, a: u128, b: u128) -> bool {
    match op {
        CompareOp::ULt => a < b,
        CompareOp::SLt => signed(a, width) < signed(b, width),
    }
}
