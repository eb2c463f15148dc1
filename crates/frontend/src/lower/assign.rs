//! Assignments, compound assignments, increments.

use super::function::FunctionCx;
use super::place::Place;
use super::types::{is_bool, value_type};
use crate::clang::ast::{BinaryOp as CBinary, Expr as CExpr, NodeId, TypeId, UnaryOp as CUnary};
use gainsay_ir::gap::Gap;
use gainsay_ir::gc::{BinaryOp, Expr};
use gainsay_ir::types::{FloatKind, Type};

impl FunctionCx<'_> {
    pub(super) fn assign_value(&mut self, id: NodeId, left: NodeId, right: NodeId) -> Expr {
        if let CExpr::DeclRef(decl) = self.unit.expr(left)
            && self.reads_itself(right, decl)
            && let Place::Var(var) = self.place(left)
        {
            // `x = x;` is an idiom that silences warnings about an uninitialised `x`.
            let value = self.read(var);
            self.assign(var, value);
            return value;
        }
        let value = self.value(right);
        let place = self.place(left);
        self.at(id);
        self.store(&place, value)
    }

    pub(super) fn compound_assign(
        &mut self,
        id: NodeId,
        op: CBinary,
        left: NodeId,
        right: NodeId,
        left_ty: TypeId,
        result_ty: TypeId,
    ) -> Expr {
        let ty = self.unit.type_of(left);
        if !self.is_scalar(right) {
            // `double += complex` and the like.
            self.effects(right);
            let place = self.place(left);
            self.at(id);
            self.gap(Gap::Complex);
            let value_ty = value_type(self.unit, ty).unwrap_or(Type::Int(32));
            let value = self.unknown(value_ty);
            return self.store(&place, value);
        }
        let operand = self.value(right);
        let mut place = self.place(left);
        self.at(id);
        let old = self.load(&place);
        place.forget_checks();
        let old = self.convert(old, ty, left_ty);
        let new = self.arithmetic(op, (old, left_ty), (operand, self.unit.type_of(right)), result_ty);
        let new = self.convert(new, result_ty, ty);
        self.store(&place, new)
    }

    /// `++x`, `x++`, `--x`, `x--`.
    pub(super) fn step(&mut self, id: NodeId, op: CUnary, operand: NodeId) -> Expr {
        let ty = self.unit.type_of(operand);
        let mut place = self.place(operand);
        self.at(id);
        let old = self.load(&place);
        place.forget_checks();
        let is_post = matches!(op, CUnary::PostInc | CUnary::PostDec);
        let old = if is_post { self.hold(old) } else { old };
        let up = matches!(op, CUnary::PostInc | CUnary::PreInc);
        let new = self.stepped(old, ty, up);
        let stored = self.store(&place, new);
        if is_post { old } else { stored }
    }

    fn stepped(&mut self, old: Expr, ty: TypeId, up: bool) -> Expr {
        let direction = if up { CBinary::Add } else { CBinary::Sub };
        match self.ty(old) {
            Type::Int(bits) if is_bool(self.unit, ty) => {
                let one = self.int(bits, 1);
                if up { one } else { self.binary(BinaryOp::Xor, old, one) }
            }
            Type::Int(bits) => {
                let one = self.int(bits, 1);
                let op = if up { BinaryOp::Add } else { BinaryOp::Sub };
                // Narrower types are promoted, so only the conversion back can lose bits.
                if self.unit.is_signed(ty) && bits >= 32 {
                    self.check_signed_overflow(op, old, one);
                }
                self.binary(op, old, one)
            }
            Type::Ptr => {
                let one = self.word(1);
                let signed_word = (one, ty);
                self.pointer_offset(direction, (old, ty), signed_word)
            }
            Type::Float(kind) => {
                let one = match kind {
                    FloatKind::F32 => self.constant(Type::Float(kind), u128::from(1f32.to_bits())),
                    FloatKind::F64 => self.constant(Type::Float(kind), u128::from(1f64.to_bits())),
                    _ => {
                        self.gap(Gap::WideFloat);
                        return self.unknown(Type::Float(kind));
                    }
                };
                self.binary(if up { BinaryOp::FAdd } else { BinaryOp::FSub }, old, one)
            }
        }
    }
}
