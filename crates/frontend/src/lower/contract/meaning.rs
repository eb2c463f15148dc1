//! What a clause means: its names are parameters, its integers have a width in which nothing overflows.

use crate::ast::{Type, TypeId, Unit};
use crate::contract::{Arith, Compare, Expr};
use crate::lower::types::{MAX_BITS, pointee};

/// A condition on the values that are passed.
#[derive(Clone, Debug)]
pub(super) enum Formula {
    Ints(Compare, Int, Int),
    Pointers(Compare, Pointer, Pointer),
    /// Each element from the first to the last, counted from the parameter on, can be accessed.
    Valid {
        param: usize,
        first: Int,
        last: Int,
        element_size: u64,
    },
    Not(Box<Formula>),
    All(Vec<Formula>),
    Any(Vec<Formula>),
}

/// A mathematical integer.
#[derive(Clone, Debug)]
pub(super) enum Int {
    Const(u64),
    Param { index: usize, bits: u16, signed: bool },
    Neg(Box<Int>),
    Arith(Arith, Box<Int>, Box<Int>),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Pointer {
    Null,
    Param(usize),
}

/// A parameter's position and type by its name.
pub(super) type Scope<'a> = dyn Fn(&str) -> Option<(usize, TypeId)> + 'a;

enum Value {
    Int(Int),
    Null,
    Pointer { param: usize, element_size: Option<u64>, offset: Option<Int> },
    Truth(Formula),
}

/// None where something is not a parameter, not an integer, not a pointer, or too wide.
pub(super) fn formula(unit: &Unit, scope: &Scope<'_>, expr: &Expr) -> Option<Formula> {
    let formula = truth(unit, scope, expr)?;
    // `Valid` may hold where ACSL says no (an offset that wraps), never the reverse.
    is_upward(&formula, true).then_some(formula)
}

fn is_upward(formula: &Formula, positive: bool) -> bool {
    match formula {
        Formula::Ints(..) | Formula::Pointers(..) => true,
        Formula::Valid { .. } => positive,
        Formula::Not(inner) => is_upward(inner, !positive),
        Formula::All(parts) | Formula::Any(parts) => parts.iter().all(|part| is_upward(part, positive)),
    }
}

fn truth(unit: &Unit, scope: &Scope<'_>, expr: &Expr) -> Option<Formula> {
    match value(unit, scope, expr)? {
        Value::Truth(formula) => Some(formula),
        Value::Int(int) => Some(Formula::Ints(Compare::Ne, int, Int::Const(0))),
        Value::Pointer { param, offset: None, .. } => {
            Some(Formula::Pointers(Compare::Ne, Pointer::Param(param), Pointer::Null))
        }
        Value::Pointer { .. } | Value::Null => None,
    }
}

fn value(unit: &Unit, scope: &Scope<'_>, expr: &Expr) -> Option<Value> {
    let truths =
        |parts: &[Expr]| parts.iter().map(|part| truth(unit, scope, part)).collect::<Option<Vec<_>>>();
    Some(match expr {
        Expr::Int(value) => Value::Int(Int::Const(*value)),
        Expr::Null => Value::Null,
        Expr::Name(name) => {
            let (index, ty) = scope(name)?;
            parameter(unit, index, ty)?
        }
        Expr::Neg(inner) => Value::Int(fitting(Int::Neg(Box::new(int(unit, scope, inner)?)))?),
        Expr::Arith(op, left, right) => {
            let right = int(unit, scope, right)?;
            match value(unit, scope, left)? {
                Value::Int(left) => Value::Int(arith(*op, left, right)?),
                Value::Pointer { param, element_size, offset } => {
                    let offset = match op {
                        Arith::Add | Arith::Sub => arith(*op, offset.unwrap_or(Int::Const(0)), right)?,
                        _ => return None,
                    };
                    Value::Pointer { param, element_size, offset: Some(offset) }
                }
                _ => return None,
            }
        }
        Expr::Compare(op, left, right) => {
            Value::Truth(comparison(*op, value(unit, scope, left)?, value(unit, scope, right)?)?)
        }
        Expr::Not(inner) => Value::Truth(Formula::Not(Box::new(truth(unit, scope, inner)?))),
        Expr::All(parts) => Value::Truth(Formula::All(truths(parts)?)),
        Expr::Any(parts) => Value::Truth(Formula::Any(truths(parts)?)),
        Expr::Valid(pointer, range) => {
            let Value::Pointer { param, element_size, offset } = value(unit, scope, pointer)? else {
                return None;
            };
            let base = offset.unwrap_or(Int::Const(0));
            let (first, last) = match range {
                None => (base.clone(), base),
                Some(range) => (
                    arith(Arith::Add, base.clone(), int(unit, scope, &range.0)?)?,
                    arith(Arith::Add, base, int(unit, scope, &range.1)?)?,
                ),
            };
            // Two bits more for the number of elements.
            if first.width().max(last.width()) + 2 > MAX_BITS {
                return None;
            }
            Value::Truth(Formula::Valid { param, first, last, element_size: element_size? })
        }
    })
}

fn parameter(unit: &Unit, index: usize, ty: TypeId) -> Option<Value> {
    match unit.ty(ty) {
        Type::Bool => Some(Value::Int(Int::Param { index, bits: 8, signed: false })),
        Type::Int { bits, signed, .. } => Some(Value::Int(fitting(Int::Param { index, bits, signed })?)),
        Type::Enum { underlying: Some(inner) } => parameter(unit, index, inner),
        Type::Pointer(_) => {
            let element_size = pointee(unit, ty).and_then(|element| unit.size_of(element));
            Some(Value::Pointer { param: index, element_size: element_size.filter(|&n| n > 0), offset: None })
        }
        _ => None,
    }
}

fn int(unit: &Unit, scope: &Scope<'_>, expr: &Expr) -> Option<Int> {
    match value(unit, scope, expr)? {
        Value::Int(int) => Some(int),
        _ => None,
    }
}

fn arith(op: Arith, left: Int, right: Int) -> Option<Int> {
    fitting(Int::Arith(op, Box::new(left), Box::new(right)))
}

fn fitting(int: Int) -> Option<Int> {
    (int.width() <= MAX_BITS).then_some(int)
}

fn comparison(op: Compare, left: Value, right: Value) -> Option<Formula> {
    let pointer = |value: &Value| match value {
        Value::Null | Value::Int(Int::Const(0)) => Some(Pointer::Null),
        Value::Pointer { param, offset: None, .. } => Some(Pointer::Param(*param)),
        _ => None,
    };
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => Some(Formula::Ints(op, left, right)),
        (left, right) => Some(Formula::Pointers(op, pointer(&left)?, pointer(&right)?)),
    }
}

impl Int {
    /// Bits of two's complement that hold the value whatever is passed, and those of its parts.
    pub(super) fn width(&self) -> u16 {
        let width = match self {
            Int::Const(value) => 65 - value.leading_zeros() as u16,
            Int::Param { bits, signed, .. } => bits + u16::from(!signed),
            Int::Neg(inner) => inner.width() + 1,
            Int::Arith(op, left, right) => {
                let (left, right) = (left.width(), right.width());
                match op {
                    Arith::Add | Arith::Sub | Arith::Div => left.max(right) + 1,
                    Arith::Mul => left + right,
                    Arith::Rem => left.max(right),
                }
            }
        };
        // A single bit would be a Boolean.
        width.max(8)
    }
}
