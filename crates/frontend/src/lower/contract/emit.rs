//! Conditions of a contract as expressions over the values passed.

use super::meaning::{Formula, Int, Pointer};
use crate::contract::{Arith, Compare};
use crate::lower::function::FunctionCx;
use gainsay_ir::gc::{BinaryOp, Expr, ExprData, UnaryOp};
use gainsay_ir::types::BOOL;

impl FunctionCx<'_> {
    pub(super) fn formula(&mut self, formula: &Formula, values: &[Expr]) -> Expr {
        match formula {
            Formula::Ints(op, left, right) => {
                let width = left.width().max(right.width());
                let [left, right] = [left, right].map(|side| self.integer(side, width, values));
                self.clause_comparison(*op, left, right, [BinaryOp::SLt, BinaryOp::SLe])
            }
            Formula::Pointers(op, left, right) => {
                let [left, right] = [left, right].map(|side| match side {
                    Pointer::Null => self.null(),
                    Pointer::Param(index) => values[*index],
                });
                self.clause_comparison(*op, left, right, [BinaryOp::ULt, BinaryOp::ULe])
            }
            Formula::Valid { param, first, last, element_size } => {
                self.validity(values[*param], [first, last], *element_size, values)
            }
            Formula::Not(inner) => {
                let inner = self.formula(inner, values);
                self.not(inner)
            }
            Formula::All(parts) => self.joined(BinaryOp::And, parts, values),
            Formula::Any(parts) => self.joined(BinaryOp::Or, parts, values),
        }
    }

    fn joined(&mut self, op: BinaryOp, parts: &[Formula], values: &[Expr]) -> Expr {
        let mut joined = self.formula(&parts[0], values);
        for part in &parts[1..] {
            let part = self.formula(part, values);
            joined = self.binary(op, joined, part);
        }
        joined
    }

    fn clause_comparison(
        &mut self,
        op: Compare,
        left: Expr,
        right: Expr,
        [less, at_most]: [BinaryOp; 2],
    ) -> Expr {
        match op {
            Compare::Lt => self.binary(less, left, right),
            Compare::Le => self.binary(at_most, left, right),
            Compare::Gt => self.binary(less, right, left),
            Compare::Ge => self.binary(at_most, right, left),
            Compare::Eq => self.binary(BinaryOp::Eq, left, right),
            Compare::Ne => self.binary(BinaryOp::Ne, left, right),
        }
    }

    /// In a width of at least the integer's own: no operation overflows.
    fn integer(&mut self, int: &Int, width: u16, values: &[Expr]) -> Expr {
        match int {
            Int::Const(value) => self.int(width, u128::from(*value)),
            Int::Param { index, signed, .. } => self.resize(values[*index], *signed, width),
            Int::Neg(inner) => {
                let inner = self.integer(inner, width, values);
                self.unary(UnaryOp::Neg, inner)
            }
            Int::Arith(op, left, right) => {
                let [left, right] = [left, right].map(|side| self.integer(side, width, values));
                let op = match op {
                    Arith::Add => BinaryOp::Add,
                    Arith::Sub => BinaryOp::Sub,
                    Arith::Mul => BinaryOp::Mul,
                    Arith::Div => BinaryOp::SDiv,
                    Arith::Rem => BinaryOp::SRem,
                };
                self.binary(op, left, right)
            }
        }
    }

    /// No element at all, or all of them in one live object.
    fn validity(&mut self, pointer: Expr, bounds: [&Int; 2], element_size: u64, values: &[Expr]) -> Expr {
        let width = bounds[0].width().max(bounds[1].width()) + 2;
        let [first, last] = bounds.map(|bound| self.integer(bound, width, values));
        let one = self.int(width, 1);
        let distance = self.binary(BinaryOp::Sub, last, first);
        let count = self.binary(BinaryOp::Add, distance, one);
        // Elements further away than an address can tell are in no object, whatever the wrapped offset says.
        let [start, length] = [first, count].map(|elements| {
            let elements = self.resize(elements, true, self.pointer_bits());
            let size = self.word(element_size);
            self.binary(BinaryOp::Mul, elements, size)
        });
        let begin = self.binary(BinaryOp::PtrAdd, pointer, start);
        let inside = self.push_expr(ExprData::Valid(begin, length), BOOL);
        let nonnull = self.is_nonzero(pointer);
        let valid = self.binary(BinaryOp::And, nonnull, inside);
        let none = self.binary(BinaryOp::SLt, last, first);
        if self.as_const(none) == Some(0) { valid } else { self.binary(BinaryOp::Or, none, valid) }
    }
}
