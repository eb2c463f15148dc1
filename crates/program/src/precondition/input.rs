//! Inputs of a function: expressions over its parameters and memory at entry.

use crate::limits::MAX_INPUT_NODES;
use crate::summary::{Atom, AtomOp, GlobalName};
use gainsay_ir::eval;
use gainsay_ir::gc::{BinaryOp, CastOp, ClassData, UnaryOp};
use gainsay_ir::types::{BOOL, Type};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Input {
    Const(Type, u128),
    Param(u32, Type),
    /// The address of a global.
    Global(GlobalName),
    /// What memory holds at the entry.
    Load {
        addr: Box<Input>,
        ty: Type,
        class: ClassData,
    },
    Unary(UnaryOp, Box<Input>),
    Cast(CastOp, Type, Box<Input>),
    Binary(BinaryOp, Box<Input>, Box<Input>),
}

/// The arguments and memory at a call.
pub struct Substitution<'a> {
    pub args: &'a dyn Fn(u32) -> Option<Input>,
    /// Memory at the call is what it was at the entry of the caller.
    pub is_untouched: bool,
    pub pointer_bits: u16,
}

impl Input {
    pub fn ty(&self, pointer_bits: u16) -> Type {
        match self {
            Input::Const(ty, _) | Input::Param(_, ty) | Input::Load { ty, .. } | Input::Cast(_, ty, _) => *ty,
            Input::Global(_) => Type::Ptr,
            Input::Unary(_, a) => a.ty(pointer_bits),
            Input::Binary(op, ..) if op.is_comparison() => BOOL,
            Input::Binary(BinaryOp::PtrSub, ..) => Type::Int(pointer_bits),
            Input::Binary(_, a, _) => a.ty(pointer_bits),
        }
    }

    pub fn unary(op: UnaryOp, a: Input, pointer_bits: u16) -> Input {
        if let Input::Const(ty, bits) = a
            && let Some(value) = eval::unary(op, ty, bits, pointer_bits)
        {
            return Input::Const(ty, value);
        }
        match a {
            Input::Binary(compared, ..) if op == UnaryOp::Not && compared.is_comparison() => a.negated(),
            a => Input::Unary(op, Box::new(a)),
        }
    }

    pub fn cast(op: CastOp, ty: Type, a: Input, pointer_bits: u16) -> Input {
        if let Input::Const(from, bits) = a
            && let Some(value) = eval::cast(op, from, ty, bits, pointer_bits)
        {
            return Input::Const(ty, value);
        }
        Input::Cast(op, ty, Box::new(a))
    }

    pub fn binary(op: BinaryOp, a: Input, b: Input, pointer_bits: u16) -> Input {
        if let (&Input::Const(ty, x), &Input::Const(_, y)) = (&a, &b)
            && let Some(value) = eval::binary(op, ty, x, y, pointer_bits)
        {
            let ty = if op.is_comparison() { BOOL } else { ty };
            return Input::Const(ty, value);
        }
        let is_null = |input: &Input| matches!(input, Input::Const(Type::Ptr, 0));
        // No object lies at NULL.
        let is_address = |input: &Input| matches!(input, Input::Global(_));
        if (is_null(&a) && is_address(&b)) || (is_null(&b) && is_address(&a)) {
            match op {
                BinaryOp::Eq => return Input::Const(BOOL, 0),
                BinaryOp::Ne => return Input::Const(BOOL, 1),
                _ => {}
            }
        }
        Input::Binary(op, Box::new(a), Box::new(b))
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Input::Const(BOOL, value) => Some(*value != 0),
            _ => None,
        }
    }

    /// Of a Boolean.
    pub fn negated(self) -> Input {
        match self {
            Input::Const(BOOL, value) => Input::Const(BOOL, value ^ 1),
            Input::Unary(UnaryOp::Not, a) => *a,
            Input::Binary(BinaryOp::Eq, a, b) => Input::Binary(BinaryOp::Ne, a, b),
            Input::Binary(BinaryOp::Ne, a, b) => Input::Binary(BinaryOp::Eq, a, b),
            Input::Binary(BinaryOp::ULt, a, b) => Input::Binary(BinaryOp::ULe, b, a),
            Input::Binary(BinaryOp::ULe, a, b) => Input::Binary(BinaryOp::ULt, b, a),
            Input::Binary(BinaryOp::SLt, a, b) => Input::Binary(BinaryOp::SLe, b, a),
            Input::Binary(BinaryOp::SLe, a, b) => Input::Binary(BinaryOp::SLt, b, a),
            other => Input::Unary(UnaryOp::Not, Box::new(other)),
        }
    }

    pub fn is_small(&self) -> bool {
        let mut count = 0;
        self.each(&mut |_| count += 1);
        count <= MAX_INPUT_NODES
    }

    pub fn each<'a>(&'a self, see: &mut dyn FnMut(&'a Input)) {
        see(self);
        match self {
            Input::Const(..) | Input::Param(..) | Input::Global(_) => {}
            Input::Load { addr: a, .. } | Input::Unary(_, a) | Input::Cast(_, _, a) => a.each(see),
            Input::Binary(_, a, b) => {
                a.each(see);
                b.each(see);
            }
        }
    }

    /// The parameters and globals that it speaks of, as they are.
    pub fn about(&self) -> Vec<&Input> {
        let mut about = Vec::new();
        self.each(&mut |input| {
            if matches!(input, Input::Param(..) | Input::Global(_)) && !about.contains(&input) {
                about.push(input);
            }
        });
        about
    }

    pub fn reads_memory(&self) -> bool {
        let mut reads = false;
        self.each(&mut |input| reads |= matches!(input, Input::Load { .. }));
        reads
    }

    /// The expression over the inputs of a caller, if there is one.
    pub fn substituted(&self, at: &Substitution) -> Option<Input> {
        let bits = at.pointer_bits;
        Some(match self {
            Input::Const(..) | Input::Global(_) => self.clone(),
            Input::Param(i, ty) => (at.args)(*i).filter(|arg| arg.ty(bits) == *ty)?,
            Input::Load { .. } if !at.is_untouched => return None,
            Input::Load { addr, ty, class } => {
                Input::Load { addr: Box::new(addr.substituted(at)?), ty: *ty, class: class.clone() }
            }
            Input::Unary(op, a) => Input::unary(*op, a.substituted(at)?, bits),
            Input::Cast(op, ty, a) => Input::cast(*op, *ty, a.substituted(at)?, bits),
            Input::Binary(op, a, b) => Input::binary(*op, a.substituted(at)?, b.substituted(at)?, bits),
        })
        .filter(Input::is_small)
    }

    /// Is one of the Booleans what [`Input::negated`] makes of the other?
    pub fn is_negation_of(&self, other: &Input) -> bool {
        use BinaryOp::{Eq, Ne, SLe, SLt, ULe, ULt};
        match (self, other) {
            (Input::Const(BOOL, a), Input::Const(BOOL, b)) => a ^ 1 == *b,
            (Input::Unary(UnaryOp::Not, a), b) | (b, Input::Unary(UnaryOp::Not, a)) if **a == *b => true,
            (Input::Binary(x, a, b), Input::Binary(y, c, d)) => match (x, y) {
                (Eq, Ne) | (Ne, Eq) => a == c && b == d,
                (ULt, ULe) | (ULe, ULt) | (SLt, SLe) | (SLe, SLt) => a == d && b == c,
                _ => false,
            },
            _ => false,
        }
    }

    /// Can both never hold at once? "No" may be wrong.
    pub fn excludes(&self, other: &Input, pointer_bits: u16) -> bool {
        if self.is_negation_of(other) {
            return true;
        }
        match (self.comparison(pointer_bits), other.comparison(pointer_bits)) {
            (Some((a, atom, bits)), Some((b, other, _))) => a == b && atom.excludes(other, bits),
            _ => false,
        }
    }

    pub fn implies(&self, other: &Input, pointer_bits: u16) -> bool {
        self == other || self.excludes(&other.clone().negated(), pointer_bits)
    }

    /// A comparison of something with a constant; widening is looked through where that changes nothing.
    fn comparison(&self, pointer_bits: u16) -> Option<(&Input, Atom, u16)> {
        let Input::Binary(op, a, b) = self else { return None };
        let op = match op {
            BinaryOp::Eq => AtomOp::Eq,
            BinaryOp::Ne => AtomOp::Ne,
            BinaryOp::ULt => AtomOp::ULt,
            BinaryOp::ULe => AtomOp::ULe,
            BinaryOp::SLt => AtomOp::SLt,
            BinaryOp::SLe => AtomOp::SLe,
            _ => return None,
        };
        let (value, op, constant) = match (a.as_ref(), b.as_ref()) {
            (Input::Const(..), Input::Const(..)) => return None,
            (value, &Input::Const(_, constant)) => (value, op, constant),
            (&Input::Const(_, constant), value) => (value, op.swapped(), constant),
            _ => return None,
        };
        let bits = value.ty(pointer_bits).bits(pointer_bits);
        // `zext64(i) < 3` says the same of `i`, whatever the sign.
        if let Input::Cast(CastOp::ZeroExtend, _, narrow) = value {
            let narrow_bits = narrow.ty(pointer_bits).bits(pointer_bits);
            let is_signed_small = eval::signed(constant, bits) >= 0;
            if constant <= eval::mask(narrow_bits) && (op.is_unsigned() || is_signed_small) {
                let op = match op {
                    AtomOp::SLt => AtomOp::ULt,
                    AtomOp::SLe => AtomOp::ULe,
                    AtomOp::SGt => AtomOp::UGt,
                    AtomOp::SGe => AtomOp::UGe,
                    other => other,
                };
                return Some((narrow, Atom { param: 0, op, value: constant }, narrow_bits));
            }
        }
        Some((value, Atom { param: 0, op, value: constant }, bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT: Type = Type::Int(32);

    fn n() -> Input {
        Input::Param(0, INT)
    }

    fn number(value: u128) -> Input {
        Input::Const(INT, value)
    }

    #[test]
    fn tests_of_one_value_are_compared() {
        let is_zero = Input::binary(BinaryOp::Eq, n(), number(0), 64);
        let positive = Input::binary(BinaryOp::SLt, number(0), n(), 64);
        let none = Input::binary(BinaryOp::ULe, n(), number(0), 64);
        assert!(is_zero.excludes(&positive, 64) && is_zero.implies(&none, 64));
        assert!(!positive.clone().negated().implies(&is_zero, 64));
        let other = Input::binary(BinaryOp::Eq, Input::Param(1, INT), number(0), 64);
        assert!(!other.excludes(&positive, 64));
    }

    #[test]
    fn widening_changes_no_comparison_with_a_small_number() {
        let wide = Input::cast(CastOp::ZeroExtend, Type::Int(64), n(), 64);
        let inside = Input::binary(BinaryOp::ULt, wide, Input::Const(Type::Int(64), 3), 64);
        assert!(Input::binary(BinaryOp::Eq, n(), number(5), 64).excludes(&inside, 64));
        assert!(!Input::binary(BinaryOp::Eq, n(), number(2), 64).excludes(&inside, 64));
    }

    #[test]
    fn constants_are_computed_at_the_call() {
        let sum = Input::binary(BinaryOp::Add, n(), Input::Param(1, INT), 64);
        let is_zero = Input::binary(BinaryOp::Eq, sum, number(0), 64);
        let args = |i: u32| Some(number(if i == 0 { 3 } else { u128::from(u32::MAX - 2) }));
        let at = Substitution { args: &args, is_untouched: true, pointer_bits: 64 };
        assert_eq!(is_zero.substituted(&at).and_then(|input| input.as_bool()), Some(true));
        let unknown = Substitution { args: &|i| (i == 0).then(n), is_untouched: true, pointer_bits: 64 };
        assert_eq!(is_zero.substituted(&unknown), None);
    }
}
