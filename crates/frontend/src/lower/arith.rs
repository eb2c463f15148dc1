//! Arithmetic on integers, floats and pointers.

use super::function::FunctionCx;
use super::types::{is_void, pointee, value_type};
use crate::clang::ast::{BinaryOp as CBinary, TypeId};
use gainsay_ir::gap::Gap;
use gainsay_ir::gc::{BinaryOp, Expr, UnaryOp};
use gainsay_ir::types::Type;

impl FunctionCx<'_> {
    /// `a op b` on operands with their C types; the result has type `ty`.
    pub(super) fn arithmetic(
        &mut self,
        op: CBinary,
        a: (Expr, TypeId),
        b: (Expr, TypeId),
        ty: TypeId,
    ) -> Expr {
        match (self.ty(a.0), self.ty(b.0)) {
            (Type::Ptr, Type::Ptr) => self.pointer_difference(a, b, ty),
            (Type::Ptr, Type::Int(_)) => self.pointer_offset(op, a, b),
            (Type::Int(_), Type::Ptr) => self.pointer_offset(op, b, a),
            (Type::Float(_), Type::Float(_)) => self.float_arithmetic(op, a.0, b.0),
            (Type::Int(_), Type::Int(_)) => self.int_arithmetic(op, a, b),
            _ => {
                self.gap(Gap::Expression);
                let ty = value_type(self.unit, ty).unwrap_or(Type::Int(32));
                self.unknown(ty)
            }
        }
    }

    fn int_arithmetic(&mut self, op: CBinary, (a, a_ty): (Expr, TypeId), (b, b_ty): (Expr, TypeId)) -> Expr {
        let signed = self.unit.is_signed(a_ty);
        let Type::Int(bits) = self.ty(a) else { return a };
        match op {
            CBinary::Shl | CBinary::Shr => {
                let b = self.atom(b);
                self.check_shift(b, bits);
                let amount = self.resize(b, self.unit.is_signed(b_ty), bits);
                let shift = match op {
                    CBinary::Shl => BinaryOp::Shl,
                    _ if signed => BinaryOp::AShr,
                    _ => BinaryOp::LShr,
                };
                self.binary(shift, a, amount)
            }
            CBinary::Div | CBinary::Rem => {
                let a = self.atom(a);
                let b = self.atom(b);
                self.check_division(a, b, signed);
                let divide = match (op, signed) {
                    (CBinary::Div, true) => BinaryOp::SDiv,
                    (CBinary::Div, false) => BinaryOp::UDiv,
                    (_, true) => BinaryOp::SRem,
                    (_, false) => BinaryOp::URem,
                };
                self.binary(divide, a, b)
            }
            _ => {
                let op = match op {
                    CBinary::Add => BinaryOp::Add,
                    CBinary::Sub => BinaryOp::Sub,
                    CBinary::Mul => BinaryOp::Mul,
                    CBinary::BitAnd => BinaryOp::And,
                    CBinary::BitXor => BinaryOp::Xor,
                    _ => BinaryOp::Or,
                };
                if signed && matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul) {
                    self.check_signed_overflow(op, a, b);
                }
                self.binary(op, a, b)
            }
        }
    }

    fn float_arithmetic(&mut self, op: CBinary, a: Expr, b: Expr) -> Expr {
        let op = match op {
            CBinary::Add => BinaryOp::FAdd,
            CBinary::Sub => BinaryOp::FSub,
            CBinary::Mul => BinaryOp::FMul,
            CBinary::Div => BinaryOp::FDiv,
            _ => {
                self.gap(Gap::Expression);
                return self.unknown(self.ty(a));
            }
        };
        self.binary(op, a, b)
    }

    /// Pointer plus or minus a number of elements.
    pub(super) fn pointer_offset(
        &mut self,
        op: CBinary,
        (p, p_ty): (Expr, TypeId),
        (n, n_ty): (Expr, TypeId),
    ) -> Expr {
        let n = self.resize(n, self.unit.is_signed(n_ty), self.pointer_bits());
        let step = self.step_of(p_ty);
        let bytes = self.binary(BinaryOp::Mul, n, step);
        let bytes = if op == CBinary::Sub { self.unary(UnaryOp::Neg, bytes) } else { bytes };
        self.binary(BinaryOp::PtrAdd, p, bytes)
    }

    fn pointer_difference(&mut self, (a, a_ty): (Expr, TypeId), (b, _): (Expr, TypeId), ty: TypeId) -> Expr {
        let bytes = self.binary(BinaryOp::PtrSub, a, b);
        let step = self.step_of(a_ty);
        let elements = match self.as_const(step) {
            Some(1) => bytes,
            // Elements of size zero (a GNU extension) have no meaningful arithmetic.
            Some(0) => self.unknown(self.ty(bytes)),
            _ => self.binary(BinaryOp::SDiv, bytes, step),
        };
        match value_type(self.unit, ty) {
            Some(Type::Int(bits)) => self.resize(elements, true, bits),
            _ => elements,
        }
    }

    /// Bytes from one element to the next; 1 for `void *` and function pointers.
    pub(super) fn step_of(&mut self, pointer: TypeId) -> Expr {
        match pointee(self.unit, pointer) {
            Some(elem)
                if !is_void(self.unit, elem) && super::types::function_type(self.unit, elem).is_none() =>
            {
                self.size(elem)
            }
            _ => self.word(1),
        }
    }
}
