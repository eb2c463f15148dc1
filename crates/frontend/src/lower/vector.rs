//! GNU vectors: operations are elementwise, without promotion.

use super::condition::is_comparison;
use super::function::FunctionCx;
use super::place::{Memory, Place};
use super::types::value_type;
use crate::clang::ast::{BinaryOp as CBinary, NodeId, Type as CType, TypeId, UnaryOp as CUnary};
use crate::limits;
use gainsay_ir::gc::{Expr, ExprData, UnaryOp};
use gainsay_ir::types::Type;

/// The elements of a vector of scalars.
#[derive(Clone, Copy)]
pub(super) struct Elements {
    ty: TypeId,
    value: Type,
    bytes: u64,
    count: u64,
}

impl FunctionCx<'_> {
    /// `None` if it is not a vector, or one that is not expanded.
    pub(super) fn elements(&self, ty: TypeId) -> Option<Elements> {
        let CType::Vector { elem, count } = self.unit.ty(ty) else { return None };
        let value = value_type(self.unit, elem)?;
        let bytes = value.bytes(self.pointer_bits());
        let plain = count <= limits::VECTOR_ELEMENTS && self.unit.size_of(ty) == Some(bytes * count);
        plain.then_some(Elements { ty: elem, value, bytes, count })
    }

    fn element_at(&mut self, vector: Expr, of: Elements, index: u64) -> Place {
        let addr = self.offset(vector, index * of.bytes);
        let memory = self.memory(addr, of.ty);
        Place::Memory(Memory { anything: true, ..memory })
    }

    /// `a op b` on the vectors at two addresses; `None` if their elements do not match.
    pub(super) fn elementwise(
        &mut self,
        op: CBinary,
        (a, a_ty): (Expr, TypeId),
        (b, b_ty): (Expr, TypeId),
        result_ty: TypeId,
    ) -> Option<Expr> {
        let [x, y, r] = [self.elements(a_ty)?, self.elements(b_ty)?, self.elements(result_ty)?];
        let compares = is_comparison(op);
        let fits = if compares { matches!(r.value, Type::Int(_)) } else { r.value == x.value };
        if x.value != y.value || x.count != y.count || x.count != r.count || !fits {
            return None;
        }
        let result = self.fresh(result_ty, "vector");
        for i in 0..r.count {
            let left = self.element_at(a, x, i);
            let left = self.load(&left);
            let right = self.element_at(b, y, i);
            let right = self.load(&right);
            let value = if compares {
                let truth = self.compared(op, left, right, self.unit.is_signed(x.ty));
                let (ones, zero) = (self.constant(r.value, u128::MAX), self.constant(r.value, 0));
                self.push_expr(ExprData::Ite(truth, ones, zero), r.value)
            } else {
                self.arithmetic(op, (left, x.ty), (right, y.ty), r.ty)
            };
            let place = self.element_at(result, r, i);
            self.store(&place, value);
        }
        Some(result)
    }

    /// `-v` or `~v` on the vector at an address.
    pub(super) fn negated_elements(&mut self, op: CUnary, vector: Expr, ty: TypeId) -> Option<Expr> {
        let of = self.elements(ty)?;
        let op = match (op, of.value) {
            (CUnary::Minus, Type::Float(_)) => UnaryOp::FNeg,
            (CUnary::Minus, _) => UnaryOp::Neg,
            (CUnary::BitNot, Type::Int(_)) => UnaryOp::Not,
            _ => return None,
        };
        let result = self.fresh(ty, "vector");
        for i in 0..of.count {
            let place = self.element_at(vector, of, i);
            let value = self.load(&place);
            let value = self.unary(op, value);
            let place = self.element_at(result, of, i);
            self.store(&place, value);
        }
        Some(result)
    }

    /// A vector with a scalar in every element.
    pub(super) fn splat(&mut self, id: NodeId, operand: NodeId, of: Elements) -> Expr {
        let value = self.value(operand);
        self.at(id);
        let value = self.convert(value, self.unit.type_of(operand), of.ty);
        let value = self.hold(value);
        let result = self.fresh(self.unit.type_of(id), "vector");
        for i in 0..of.count {
            let place = self.element_at(result, of, i);
            self.store(&place, value);
        }
        result
    }

    /// Initialises a vector from a list of its elements; the others become zero.
    pub(super) fn initialise_elements(&mut self, vector: Expr, of: Elements, inits: &[NodeId]) {
        for i in 0..of.count {
            let value = match inits.get(i as usize) {
                Some(&init) => self.value(init),
                None => self.constant(of.value, 0),
            };
            let place = self.element_at(vector, of, i);
            self.store(&place, value);
        }
    }
}
