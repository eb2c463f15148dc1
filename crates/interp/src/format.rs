//! The formats of `printf`.

use super::host::Arg;
use super::{Machine, Outcome};
use gainsay_ir::eval;
use gainsay_ir::types::{FloatKind, Type};

#[derive(Default)]
struct Spec {
    left: bool,
    zero: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
    /// Width of the integer that is shown.
    bits: u16,
}

/// The text that the format and its arguments give.
pub(super) fn format(machine: &Machine, format: &[u8], args: &[Arg]) -> Result<Vec<u8>, Outcome> {
    let mut out = Vec::with_capacity(format.len());
    let mut rest = format;
    let mut args = args.iter();
    while let Some(percent) = rest.iter().position(|&byte| byte == b'%') {
        out.extend_from_slice(&rest[..percent]);
        rest = &rest[percent + 1..];
        let mut next = || args.next().copied().unwrap_or(Arg { bits: 0, ty: Type::Int(64) });
        let spec = spec(machine, &mut rest, &mut next);
        let Some((&conversion, after)) = rest.split_first() else {
            return Err(Outcome::Unsupported("printf: the format ends in a `%`".to_owned()));
        };
        rest = after;
        let text = match conversion {
            b'%' => b"%".to_vec(),
            b'd' | b'i' => signed(&spec, next().bits),
            b'u' => unsigned(&spec, (next().bits & eval::mask(spec.bits)).to_string(), ""),
            b'x' => hexadecimal(&spec, next().bits, "0x", |value| format!("{value:x}")),
            b'X' => hexadecimal(&spec, next().bits, "0X", |value| format!("{value:X}")),
            b'o' => {
                let value = next().bits & eval::mask(spec.bits);
                let prefix = if spec.alternate && value != 0 { "0" } else { "" };
                unsigned(&spec, format!("{value:o}"), prefix)
            }
            b'c' => vec![next().bits as u8],
            b's' => string(machine, &spec, next().bits as u64)?,
            b'p' => match next().bits {
                0 => b"(nil)".to_vec(),
                address => format!("{address:#x}").into_bytes(),
            },
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' => float(&spec, conversion, next())?,
            other => {
                let conversion = char::from(other);
                return Err(Outcome::Unsupported(format!("printf: conversion `%{conversion}`")));
            }
        };
        pad(&mut out, &spec, text);
    }
    out.extend_from_slice(rest);
    Ok(out)
}

fn spec(machine: &Machine, rest: &mut &[u8], next: &mut impl FnMut() -> Arg) -> Spec {
    let mut spec = Spec { bits: 32, ..Spec::default() };
    while let Some((&flag, after)) = rest.split_first() {
        match flag {
            b'-' => spec.left = true,
            b'0' => spec.zero = true,
            b'+' => spec.plus = true,
            b' ' => spec.space = true,
            b'#' => spec.alternate = true,
            _ => break,
        }
        *rest = after;
    }
    let width = count(rest, next);
    spec.left |= width < 0;
    spec.width = width.unsigned_abs() as usize;
    if let Some(after) = rest.strip_prefix(b".") {
        *rest = after;
        spec.precision = usize::try_from(count(rest, next)).ok();
    }
    // `L` belongs to floats, whose argument knows its type.
    let lengths: [(&[u8], u16); 9] = [
        (b"hh", 8),
        (b"h", 16),
        (b"ll", 64),
        (b"l", machine.pointer_bits),
        (b"z", machine.pointer_bits),
        (b"t", machine.pointer_bits),
        (b"j", 64),
        (b"q", 64),
        (b"L", 64),
    ];
    if let Some((length, bits)) = lengths.iter().find(|(length, _)| rest.starts_with(length)) {
        *rest = &rest[length.len()..];
        spec.bits = *bits;
    }
    spec
}

/// Digits, or `*` for the next argument.
fn count(rest: &mut &[u8], next: &mut impl FnMut() -> Arg) -> i32 {
    if let Some(after) = rest.strip_prefix(b"*") {
        *rest = after;
        return next().bits as i32;
    }
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let value = rest[..digits]
        .iter()
        .fold(0i32, |value, byte| value.saturating_mul(10).saturating_add(i32::from(byte - b'0')));
    *rest = &rest[digits..];
    value.min(crate::limits::LARGEST_FIELD)
}

/// Digits with their sign or prefix, precision and, for numbers, zeros up to the width.
fn number(spec: &Spec, sign: &str, digits: String) -> Vec<u8> {
    let precision = match spec.precision {
        Some(precision) => precision,
        None if spec.zero && !spec.left => spec.width.saturating_sub(sign.len()),
        None => 1,
    };
    let digits = if digits == "0" && spec.precision == Some(0) { String::new() } else { digits };
    format!("{sign}{digits:0>precision$}").into_bytes()
}

fn sign(spec: &Spec, negative: bool) -> &'static str {
    match negative {
        true => "-",
        false if spec.plus => "+",
        false if spec.space => " ",
        false => "",
    }
}

fn signed(spec: &Spec, bits: u128) -> Vec<u8> {
    let value = eval::signed(bits, spec.bits);
    number(spec, sign(spec, value < 0), value.unsigned_abs().to_string())
}

fn unsigned(spec: &Spec, digits: String, prefix: &str) -> Vec<u8> {
    number(spec, prefix, digits)
}

fn hexadecimal(spec: &Spec, bits: u128, prefix: &str, show: impl Fn(u128) -> String) -> Vec<u8> {
    let value = bits & eval::mask(spec.bits);
    number(spec, if spec.alternate && value != 0 { prefix } else { "" }, show(value))
}

fn string(machine: &Machine, spec: &Spec, address: u64) -> Result<Vec<u8>, Outcome> {
    match (address, spec.precision) {
        (0, _) => Ok(b"(null)".to_vec()),
        (_, Some(precision)) => machine.prefix(address, precision as u64),
        (_, None) => machine.string(address),
    }
}

fn float(spec: &Spec, conversion: u8, arg: Arg) -> Result<Vec<u8>, Outcome> {
    let value = match arg.ty {
        Type::Float(FloatKind::F64) => f64::from_bits(arg.bits as u64),
        Type::Float(FloatKind::F32) => f32::from_bits(arg.bits as u32).into(),
        _ => return Err(Outcome::Unsupported("printf: a float format other than binary64".to_owned())),
    };
    let sign = sign(spec, value.is_sign_negative());
    let size = value.abs();
    let precision = spec.precision.unwrap_or(6);
    if !value.is_finite() {
        let name = if value.is_nan() { "nan" } else { "inf" };
        return Ok(cased(conversion, format!("{sign}{name}")));
    }
    let digits = match conversion.to_ascii_lowercase() {
        b'f' => format!("{size:.precision$}"),
        b'e' => exponential(size, precision),
        _ => general(spec, size, precision.max(1)),
    };
    let width = if spec.zero && !spec.left { spec.width.saturating_sub(sign.len()) } else { 0 };
    Ok(cased(conversion, format!("{sign}{digits:0>width$}")))
}

fn cased(conversion: u8, text: String) -> Vec<u8> {
    if conversion.is_ascii_uppercase() { text.to_ascii_uppercase().into_bytes() } else { text.into_bytes() }
}

/// C writes at least two digits of exponent, and its sign.
fn exponential(size: f64, precision: usize) -> String {
    let text = format!("{size:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

fn general(spec: &Spec, size: f64, precision: usize) -> String {
    let scientific = exponential(size, precision - 1);
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent_value: i32 = exponent.parse().unwrap_or(0);
    let trim = |digits: &str| match digits.contains('.') && !spec.alternate {
        true => digits.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => digits.to_owned(),
    };
    if exponent_value < -4 || exponent_value >= precision as i32 {
        return format!("{}e{exponent}", trim(digits));
    }
    let decimals = (precision as i32 - 1 - exponent_value).max(0) as usize;
    trim(&format!("{size:.decimals$}"))
}

fn pad(out: &mut Vec<u8>, spec: &Spec, text: Vec<u8>) {
    let missing = spec.width.saturating_sub(text.len());
    if spec.left {
        out.extend_from_slice(&text);
    }
    out.extend(std::iter::repeat_n(b' ', missing));
    if !spec.left {
        out.extend_from_slice(&text);
    }
}
