//! Built-ins that count bits, as exact arithmetic: the ones of a word are summed in parallel.

use super::function::FunctionCx;
use crate::clang::ast::NodeId;
use gainsay_ir::gc::{BinaryOp, Expr, ExprData, UnaryOp};
use gainsay_ir::types::Type;

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Count {
    Ones,
    Parity,
    LeadingZeros,
    TrailingZeros,
    /// One plus the index of the lowest one; 0 if there is none.
    FirstOne,
    /// Bits after the sign bit that equal it.
    SignCopies,
}

/// `popcount`, `clzll`, ... without the `__builtin_`.
pub(super) fn counter(name: &str) -> Option<Count> {
    Some(match name.trim_end_matches('l') {
        "popcount" => Count::Ones,
        "parity" => Count::Parity,
        "clz" => Count::LeadingZeros,
        "ctz" => Count::TrailingZeros,
        "ffs" => Count::FirstOne,
        "clrsb" => Count::SignCopies,
        _ => return None,
    })
}

impl FunctionCx<'_> {
    pub(super) fn count_bits(&mut self, id: NodeId, what: Count, operand: NodeId) -> Expr {
        let value = self.value(operand);
        self.at(id);
        let value = self.hold(value);
        let Type::Int(width @ (32 | 64)) = self.ty(value) else {
            return self.unknown(Type::Int(32));
        };
        let counted = match what {
            Count::Ones | Count::Parity => value,
            Count::LeadingZeros => {
                let filled = self.fill_down(value, width);
                self.unary(UnaryOp::Not, filled)
            }
            Count::TrailingZeros => {
                // Exactly the zeros below the lowest one.
                let below = self.minus_one(value, width);
                let zeros = self.unary(UnaryOp::Not, value);
                self.binary(BinaryOp::And, zeros, below)
            }
            Count::FirstOne => {
                let below = self.minus_one(value, width);
                self.binary(BinaryOp::Xor, value, below)
            }
            Count::SignCopies => {
                let sign = self.shifted(BinaryOp::AShr, value, width - 1, width);
                let differing = self.binary(BinaryOp::Xor, value, sign);
                let differing = self.hold(differing);
                let filled = self.fill_down(differing, width);
                self.unary(UnaryOp::Not, filled)
            }
        };
        let ones = self.ones(counted, width);
        let ones = self.resize(ones, false, 32);
        match what {
            Count::Ones => ones,
            Count::Parity => {
                let one = self.int(32, 1);
                self.binary(BinaryOp::And, ones, one)
            }
            Count::SignCopies => {
                let one = self.int(32, 1);
                self.binary(BinaryOp::Sub, ones, one)
            }
            Count::FirstOne => {
                let none = self.int(32, 0);
                self.unless_zero(value, ones, none)
            }
            Count::LeadingZeros | Count::TrailingZeros => {
                // Undefined for 0.
                let anything = self.indeterminate(Type::Int(32));
                self.unless_zero(value, ones, anything)
            }
        }
    }

    fn unless_zero(&mut self, value: Expr, result: Expr, if_zero: Expr) -> Expr {
        let nonzero = self.is_nonzero(value);
        let ty = self.ty(result);
        self.push_expr(ExprData::Ite(nonzero, result, if_zero), ty)
    }

    fn minus_one(&mut self, value: Expr, width: u16) -> Expr {
        let one = self.int(width, 1);
        self.binary(BinaryOp::Sub, value, one)
    }

    fn shifted(&mut self, op: BinaryOp, value: Expr, by: u16, width: u16) -> Expr {
        let by = self.int(width, u128::from(by));
        self.binary(op, value, by)
    }

    /// Sets all bits below the highest one.
    fn fill_down(&mut self, value: Expr, width: u16) -> Expr {
        let mut filled = value;
        let mut by = 1;
        while by < width {
            let lower = self.shifted(BinaryOp::LShr, filled, by, width);
            let both = self.binary(BinaryOp::Or, filled, lower);
            filled = self.hold(both);
            by *= 2;
        }
        filled
    }

    /// Number of ones, as sums of neighbours in increasingly wide parts of the word.
    fn ones(&mut self, value: Expr, width: u16) -> Expr {
        let mut sums = self.hold(value);
        let mut part = 1;
        while part < width {
            let every_other = (0..width / (2 * part))
                .fold(0u128, |mask, i| mask | (((1u128 << part) - 1) << (2 * part * i)));
            let mask = self.int(width, every_other);
            let even = self.binary(BinaryOp::And, sums, mask);
            let odd = self.shifted(BinaryOp::LShr, sums, part, width);
            let odd = self.binary(BinaryOp::And, odd, mask);
            let sum = self.binary(BinaryOp::Add, even, odd);
            sums = self.hold(sum);
            part *= 2;
        }
        sums
    }
}
