//! The words and signs of the text form, each in one table that both the printer and the reader use.

use crate::gc::{BinaryOp, CastOp, Linkage, Origin, Outcome, VarKind};
use crate::types::{FloatKind, Type};

/// Longer signs come before their own beginnings, so that the first match is the right one.
pub const BINARY_OPS: &[(&str, BinaryOp)] = &[
    ("+p", BinaryOp::PtrAdd),
    ("+.", BinaryOp::FAdd),
    ("+", BinaryOp::Add),
    ("-p", BinaryOp::PtrSub),
    ("-.", BinaryOp::FSub),
    ("-", BinaryOp::Sub),
    ("*.", BinaryOp::FMul),
    ("*", BinaryOp::Mul),
    ("/.", BinaryOp::FDiv),
    ("/u", BinaryOp::UDiv),
    ("/s", BinaryOp::SDiv),
    ("%u", BinaryOp::URem),
    ("%s", BinaryOp::SRem),
    ("&", BinaryOp::And),
    ("|", BinaryOp::Or),
    ("^", BinaryOp::Xor),
    ("==.", BinaryOp::FEq),
    ("==", BinaryOp::Eq),
    ("!=", BinaryOp::Ne),
    ("<<", BinaryOp::Shl),
    ("<=.", BinaryOp::FLe),
    ("<=u", BinaryOp::ULe),
    ("<=s", BinaryOp::SLe),
    ("<.", BinaryOp::FLt),
    ("<u", BinaryOp::ULt),
    ("<s", BinaryOp::SLt),
    (">>u", BinaryOp::LShr),
    (">>s", BinaryOp::AShr),
];

pub fn binary_sign(op: BinaryOp) -> &'static str {
    use BinaryOp::*;
    match op {
        PtrAdd => "+p",
        FAdd => "+.",
        Add => "+",
        PtrSub => "-p",
        FSub => "-.",
        Sub => "-",
        FMul => "*.",
        Mul => "*",
        FDiv => "/.",
        UDiv => "/u",
        SDiv => "/s",
        URem => "%u",
        SRem => "%s",
        And => "&",
        Or => "|",
        Xor => "^",
        FEq => "==.",
        Eq => "==",
        Ne => "!=",
        Shl => "<<",
        FLe => "<=.",
        ULe => "<=u",
        SLe => "<=s",
        FLt => "<.",
        ULt => "<u",
        SLt => "<s",
        LShr => ">>u",
        AShr => ">>s",
    }
}

/// Names of casts; all but `inttoptr` are followed by the width of the result.
pub const CASTS: &[(&str, CastOp)] = &[
    ("zext", CastOp::ZeroExtend),
    ("sext", CastOp::SignExtend),
    ("trunc", CastOp::Truncate),
    ("ptrtoint", CastOp::PtrToInt),
    ("inttoptr", CastOp::IntToPtr),
    ("ftos", CastOp::FloatToSigned),
    ("ftou", CastOp::FloatToUnsigned),
    ("stof", CastOp::SignedToFloat),
    ("utof", CastOp::UnsignedToFloat),
    ("ftof", CastOp::FloatToFloat),
];

pub fn cast_name(op: CastOp) -> &'static str {
    name_of(CASTS, op)
}

/// The cast a word such as `zext64` names.
pub fn cast_from_word(word: &str) -> Option<(CastOp, Type)> {
    let (name, digits) = word.split_at(word.find(|c: char| c.is_ascii_digit()).unwrap_or(word.len()));
    let op = value_of(CASTS, name)?;
    if op == CastOp::IntToPtr {
        return digits.is_empty().then_some((op, Type::Ptr));
    }
    let bits = bits_from_digits(digits)?;
    let to_float = matches!(op, CastOp::SignedToFloat | CastOp::UnsignedToFloat | CastOp::FloatToFloat);
    let ty = if to_float { Type::Float(float_of_bits(bits)?) } else { int_of_bits(bits)? };
    Some((op, ty))
}

fn bits_from_digits(digits: &str) -> Option<u16> {
    if digits.starts_with('0') || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

fn int_of_bits(bits: u16) -> Option<Type> {
    (1..=128).contains(&bits).then_some(Type::Int(bits))
}

const FLOATS: &[FloatKind] =
    &[FloatKind::F16, FloatKind::F32, FloatKind::F64, FloatKind::F80, FloatKind::F128];

fn float_of_bits(bits: u16) -> Option<FloatKind> {
    FLOATS.iter().copied().find(|kind| kind.bits() == bits)
}

pub fn type_from_word(word: &str) -> Option<Type> {
    match word {
        "bool" => Some(Type::Int(1)),
        "ptr" => Some(Type::Ptr),
        _ => {
            let bits = bits_from_digits(word.get(1..)?)?;
            match word.as_bytes()[0] {
                b'i' if bits != 1 => int_of_bits(bits),
                b'f' => float_of_bits(bits).map(Type::Float),
                _ => None,
            }
        }
    }
}

pub const ORIGINS: &[(&str, Origin)] = &[
    ("if", Origin::If),
    ("else-if", Origin::ElseIf),
    ("loop-entry", Origin::LoopEntry),
    ("loop-again", Origin::LoopAgain),
    ("switch", Origin::Switch),
    ("and", Origin::And),
    ("or", Origin::Or),
    ("conditional", Origin::Conditional),
    ("behavior", Origin::Behavior),
    ("model", Origin::Model),
];

pub const OUTCOMES: &[(&str, Outcome)] = &[
    ("true", Outcome::True),
    ("false", Outcome::False),
    ("case", Outcome::Case),
    ("default", Outcome::Default),
    ("missing-default", Outcome::MissingDefault),
    ("exhausted", Outcome::Exhausted),
];

/// Kinds of temporaries that need no more than a word.
pub const VAR_KINDS: &[(&str, VarKind)] = &[
    ("variable-array", VarKind::VariableArray),
    ("universal", VarKind::Universal),
    ("chosen", VarKind::Chosen),
    ("compiler-knows", VarKind::CompilerKnows),
    ("build-error", VarKind::BuildError),
    ("read-bool", VarKind::ReadBool),
];

pub const LINKAGES: &[(&str, Linkage)] =
    &[("external", Linkage::External), ("weak", Linkage::Weak), ("internal", Linkage::Internal)];

/// The name a table gives to a value; every table is complete.
pub fn name_of<T: PartialEq>(table: &[(&'static str, T)], value: T) -> &'static str {
    table.iter().find(|row| row.1 == value).map_or("?", |row| row.0)
}

pub fn value_of<T: Clone>(table: &[(&str, T)], name: &str) -> Option<T> {
    table.iter().find(|row| row.0 == name).map(|row| row.1.clone())
}

pub fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

pub fn continues_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$')
}

/// May the name stand without quotes where no keyword can be meant (after `@`)?
pub fn is_plain(name: &str) -> bool {
    name.bytes().next().is_some_and(starts_name) && name.bytes().all(continues_name)
}

/// Words that would not be read as a variable or object.
pub fn is_reserved(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "alloca", "allocate", "assert", "assume", "call", "clobber", "copy", "enter", "error", "false",
        "fill", "free", "freeable", "goto", "havoc", "init", "ite", "load", "null", "obj", "raise", "return",
        "store", "tmp", "tmpobj", "true", "unset", "valid", "var", "volatile",
    ];
    WORDS.binary_search(&name).is_ok() || cast_from_word(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_and_operators_agree() {
        for &(sign, op) in BINARY_OPS {
            assert_eq!(binary_sign(op), sign);
        }
        for (i, (sign, _)) in BINARY_OPS.iter().enumerate() {
            assert!(!BINARY_OPS[..i].iter().any(|(earlier, _)| sign.starts_with(earlier)), "{sign}");
        }
    }

    #[test]
    fn casts_are_read_with_their_width() {
        assert_eq!(cast_from_word("zext64"), Some((CastOp::ZeroExtend, Type::Int(64))));
        assert_eq!(cast_from_word("stof80"), Some((CastOp::SignedToFloat, Type::Float(FloatKind::F80))));
        assert_eq!(cast_from_word("stof33"), None);
        assert_eq!(cast_from_word("zext"), None);
        assert_eq!(cast_from_word("inttoptr64"), None);
    }
}
