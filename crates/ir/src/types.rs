//! Types of values and the target's properties that values depend on.

use serde::{Deserialize, Serialize};

/// Type of an IR value. Aggregates are never values: they live in memory and are moved by `copy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Type {
    /// A bit-vector of 1 to 128 bits; `Int(1)` is the Boolean. Signedness is a property of operators.
    Int(u16),
    /// A pointer of the target's width. Kept apart from integers so that provenance is not lost.
    Ptr,
    Float(FloatKind),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FloatKind {
    F16,
    F32,
    F64,
    /// x87 extended precision: 80 bits of value, stored in 10 bytes of a larger slot.
    F80,
    F128,
}

pub const BOOL: Type = Type::Int(1);

impl Type {
    /// Number of value bits, given the width of a pointer.
    pub fn bits(self, pointer_bits: u16) -> u16 {
        match self {
            Type::Int(bits) => bits,
            Type::Ptr => pointer_bits,
            Type::Float(kind) => kind.bits(),
        }
    }

    /// Number of bytes a load or store of this type touches.
    pub fn bytes(self, pointer_bits: u16) -> u64 {
        u64::from(self.bits(pointer_bits)).div_ceil(8)
    }

    pub fn is_int(self) -> bool {
        matches!(self, Type::Int(_))
    }
}

impl FloatKind {
    pub fn bits(self) -> u16 {
        match self {
            FloatKind::F16 => 16,
            FloatKind::F32 => 32,
            FloatKind::F64 => 64,
            FloatKind::F80 => 80,
            FloatKind::F128 => 128,
        }
    }
}

/// What the meaning of a unit depends on beyond its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Target {
    pub pointer_bits: u16,
    pub big_endian: bool,
    /// NULL may be the address of an object (-fno-delete-null-pointer-checks).
    pub null_is_valid: bool,
}
