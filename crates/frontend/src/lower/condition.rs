//! Conditions: `&&`, `||`, `!` and `?:` become branches that record their origin.

use super::function::FunctionCx;
use super::types::value_type;
use crate::clang::ast::{BinaryOp as CBinary, CastKind, Expr as CExpr, NodeId, TypeId, UnaryOp as CUnary};
use gainsay_ir::gc::{BinaryOp, Block, Expr, Origin};
use gainsay_ir::types::Type;

impl FunctionCx<'_> {
    /// Branch on a condition of the source.
    pub(super) fn condition(&mut self, id: NodeId, origin: Origin, if_true: Block, if_false: Block) {
        self.condition_of(id, origin, if_true, if_false, false);
    }

    /// Branches on `id`, or on `!id`. Outcomes are those of the source condition.
    fn condition_of(&mut self, id: NodeId, origin: Origin, if_true: Block, if_false: Block, negated: bool) {
        match self.unit.expr(id) {
            CExpr::Transparent(inner) => self.condition_of(inner, origin, if_true, if_false, negated),
            CExpr::Unary { op: CUnary::LogicalNot, operand } if self.is_scalar(operand) => {
                self.condition_of(operand, origin, if_true, if_false, !negated);
            }
            CExpr::Binary { op: op @ (CBinary::LogicalAnd | CBinary::LogicalOr), left, right } => {
                let next = self.new_block();
                let (on_true, on_false) = if negated { (if_false, if_true) } else { (if_true, if_false) };
                if op == CBinary::LogicalAnd {
                    self.condition(left, Origin::And, next, on_false);
                } else {
                    self.condition(left, Origin::Or, on_true, next);
                }
                self.current = Some(next);
                self.condition_of(right, origin, if_true, if_false, negated);
            }
            CExpr::Cast { kind, operand, .. } if self.keeps_truth(kind, id, operand) => {
                self.condition_of(operand, origin, if_true, if_false, negated);
            }
            CExpr::Call { function: Some(function), args: [value, ..], .. }
                if matches!(
                    self.unit.name(function),
                    "__builtin_expect" | "__builtin_expect_with_probability"
                ) =>
            {
                self.condition_of(*value, origin, if_true, if_false, negated);
            }
            _ => {
                let truth = self.truth(id);
                self.at(id);
                let truth = if negated { self.not(truth) } else { truth };
                self.branch(origin, truth, if_true, if_false);
            }
        }
    }

    /// Is the value nonzero? The result is a Boolean.
    pub(super) fn truth(&mut self, id: NodeId) -> Expr {
        match self.unit.expr(id) {
            CExpr::Transparent(inner) => self.truth(inner),
            CExpr::Unary { op: CUnary::LogicalNot, operand } if self.is_scalar(operand) => {
                let truth = self.truth(operand);
                self.not(truth)
            }
            CExpr::Binary { op, left, right } if is_comparison(op) && self.is_scalar(left) => {
                self.comparison(id, op, left, right)
            }
            CExpr::Cast { kind, operand, .. } if self.keeps_truth(kind, id, operand) => self.truth(operand),
            _ => {
                let value = self.value(id);
                self.is_nonzero(value)
            }
        }
    }

    /// A cast whose result is zero exactly if its operand is.
    fn keeps_truth(&self, kind: CastKind, cast: NodeId, operand: NodeId) -> bool {
        match kind {
            CastKind::NoOp => self.is_scalar(operand),
            CastKind::IntegralToBool | CastKind::PointerToBool | CastKind::FloatingToBool => {
                self.is_scalar(operand)
            }
            CastKind::IntegralCast => {
                let width = |id| match value_type(self.unit, self.unit.type_of(id)) {
                    Some(Type::Int(bits)) => bits,
                    _ => 0,
                };
                width(cast) >= width(operand) && width(operand) > 0
            }
            _ => false,
        }
    }

    pub(super) fn is_scalar(&self, id: NodeId) -> bool {
        self.is_scalar_type(self.unit.type_of(id))
    }

    pub(super) fn is_scalar_type(&self, ty: TypeId) -> bool {
        value_type(self.unit, ty).is_some()
    }

    pub(super) fn comparison(&mut self, id: NodeId, op: CBinary, left: NodeId, right: NodeId) -> Expr {
        let signed = self.unit.is_signed(self.unit.type_of(left));
        let a = self.value(left);
        let b = self.value(right);
        self.at(id);
        self.compared(op, a, b, signed)
    }

    /// Compare two values of one type.
    pub(super) fn compared(&mut self, op: CBinary, a: Expr, b: Expr, signed: bool) -> Expr {
        match self.ty(a) {
            Type::Float(_) => self.float_comparison(op, a, b),
            Type::Ptr => self.compare(op, a, b, false),
            Type::Int(_) => self.compare(op, a, b, signed),
        }
    }

    fn compare(&mut self, op: CBinary, a: Expr, b: Expr, signed: bool) -> Expr {
        let (lt, le) = if signed { (BinaryOp::SLt, BinaryOp::SLe) } else { (BinaryOp::ULt, BinaryOp::ULe) };
        match op {
            CBinary::Eq => self.binary(BinaryOp::Eq, a, b),
            CBinary::Ne => self.binary(BinaryOp::Ne, a, b),
            CBinary::Lt => self.binary(lt, a, b),
            CBinary::Le => self.binary(le, a, b),
            CBinary::Gt => self.binary(lt, b, a),
            _ => self.binary(le, b, a),
        }
    }

    fn float_comparison(&mut self, op: CBinary, a: Expr, b: Expr) -> Expr {
        match op {
            CBinary::Eq => self.binary(BinaryOp::FEq, a, b),
            CBinary::Ne => {
                let equal = self.binary(BinaryOp::FEq, a, b);
                self.not(equal)
            }
            CBinary::Lt => self.binary(BinaryOp::FLt, a, b),
            CBinary::Le => self.binary(BinaryOp::FLe, a, b),
            CBinary::Gt => self.binary(BinaryOp::FLt, b, a),
            _ => self.binary(BinaryOp::FLe, b, a),
        }
    }
}

pub(super) fn is_comparison(op: CBinary) -> bool {
    matches!(op, CBinary::Eq | CBinary::Ne | CBinary::Lt | CBinary::Le | CBinary::Gt | CBinary::Ge)
}
