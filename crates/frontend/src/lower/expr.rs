//! Scalar expressions.

use super::function::FunctionCx;
use super::place::{Memory, Place};
use super::types::{is_bool, is_void, value_type};
use crate::clang::ast::{BinaryOp as CBinary, CastKind, Expr as CExpr, NodeId, TypeId, UnaryOp as CUnary};
use gainsay_ir::gap::Gap;
use gainsay_ir::gc::{BinaryOp, Block, CastOp, Expr, Next, Origin, Outcome, UnaryOp};
use gainsay_ir::types::{BOOL, FloatKind, Type};

impl FunctionCx<'_> {
    /// Evaluate for the side effects only.
    pub(super) fn effects(&mut self, id: NodeId) {
        let ty = self.unit.type_of(id);
        match self.unit.expr(id) {
            CExpr::Transparent(inner) => self.effects(inner),
            CExpr::Cast { kind: CastKind::ToVoid, operand, .. } => self.effects(operand),
            CExpr::Binary { op: CBinary::Comma, left, right } => {
                self.effects(left);
                self.effects(right);
            }
            CExpr::Binary { op: CBinary::LogicalAnd | CBinary::LogicalOr, left, right } => {
                let (origin, is_and) = match self.unit.expr(id) {
                    CExpr::Binary { op: CBinary::LogicalAnd, .. } => (Origin::And, true),
                    _ => (Origin::Or, false),
                };
                let next = self.new_block();
                let after = self.new_block();
                let (on_true, on_false) = if is_and { (next, after) } else { (after, next) };
                self.condition(left, origin, on_true, on_false);
                self.current = Some(next);
                self.effects(right);
                self.enter_block(after);
            }
            CExpr::Conditional { condition, then, otherwise } if is_void(self.unit, ty) => {
                let [then_block, else_block, after] = [(); 3].map(|()| self.new_block());
                self.condition(condition, Origin::Conditional, then_block, else_block);
                self.current = Some(then_block);
                self.effects(then);
                self.goto(after);
                self.current = Some(else_block);
                self.effects(otherwise);
                self.enter_block(after);
            }
            CExpr::BinaryConditional { common, condition, otherwise, .. } if is_void(self.unit, ty) => {
                let value = self.value(common);
                let value = self.hold(value);
                self.opaque.insert(common, value);
                let [else_block, after] = [(); 2].map(|()| self.new_block());
                self.condition(condition, Origin::Conditional, after, else_block);
                self.current = Some(else_block);
                self.effects(otherwise);
                self.enter_block(after);
            }
            // The value of `x;` or `(void)x` is not used: only a volatile read is an event.
            CExpr::Cast { kind: CastKind::LValueToRValue, operand, .. } if self.is_scalar(id) => {
                if let place @ Place::Memory(Memory { volatile: true, .. }) = self.place(operand) {
                    self.at(id);
                    self.load(&place);
                }
            }
            CExpr::StmtExpr(body) => {
                self.compound_value(body);
            }
            CExpr::Unary { op: CUnary::PostInc, operand } if self.is_scalar(id) => {
                self.step(id, CUnary::PreInc, operand);
            }
            CExpr::Unary { op: CUnary::PostDec, operand } if self.is_scalar(id) => {
                self.step(id, CUnary::PreDec, operand);
            }
            CExpr::Call { callee, function, args } => {
                self.call(id, callee, function, args);
            }
            _ if self.unit.is_lvalue(id) => {
                self.place(id);
            }
            _ if value_type(self.unit, ty).is_some() => {
                self.value(id);
            }
            CExpr::Atomic { name, operands } if is_void(self.unit, ty) => {
                self.atomic_store(id, name, operands)
            }
            _ if is_void(self.unit, ty) => self.unmodelled(id),
            _ => {
                self.aggregate(id);
            }
        }
    }

    /// Continues here or skips to `after`, by a choice that is not a branch of the source.
    pub(super) fn maybe(&mut self, after: Block) {
        let condition = self.new_condition();
        let always = self.constant(BOOL, 1);
        let here = self.new_block();
        let go_on = self.edge(condition, Origin::Model, Outcome::True, always, here);
        let skip = self.edge(condition, Origin::Model, Outcome::False, always, after);
        self.end(Next::Goto(smallvec::smallvec![go_on, skip]));
        self.current = Some(here);
    }

    /// An expression that is not modelled: its operands may be evaluated, its effects are unknown.
    pub(super) fn unmodelled(&mut self, id: NodeId) {
        self.at(id);
        self.gap(Gap::Expression);
        // It is also unknown whether and how often the operands are evaluated.
        let after = self.new_block();
        self.maybe(after);
        let mut known = Vec::new();
        for &part in self.unit.parts(id) {
            if part.0 != 0 && self.unit.type_of(part).0 != 0 {
                known.extend(self.value_or_address(part));
            }
        }
        self.at(id);
        self.anything_may_happen(known);
        self.enter_block(after);
    }

    /// Value of a scalar expression.
    pub(super) fn value(&mut self, id: NodeId) -> Expr {
        let ty = self.unit.type_of(id);
        let Some(value_ty) = value_type(self.unit, ty) else {
            self.effects(id);
            self.gap(Gap::Expression);
            return self.unknown(Type::Int(32));
        };
        if let Some(constant) = self.constant_value(id, value_ty) {
            return constant;
        }
        match self.unit.expr(id) {
            CExpr::Transparent(inner) => self.value(inner),
            CExpr::DeclRef(decl) if self.unit.is_enum_constant(decl) => {
                self.constant(value_ty, self.unit.enum_value(decl) as u128)
            }
            CExpr::Unary { op, operand } => self.unary_value(id, op, operand, value_ty),
            CExpr::Binary { op, left, right } => self.binary_value(id, op, left, right, value_ty),
            CExpr::CompoundAssign { op, left, right, left_ty, result_ty } => {
                self.compound_assign(id, op, left, right, left_ty, result_ty)
            }
            CExpr::Conditional { condition, then, otherwise } => {
                self.conditional(condition, then, otherwise, value_ty)
            }
            CExpr::BinaryConditional { common, condition, then, otherwise } => {
                let value = self.value(common);
                let value = self.hold(value);
                self.opaque.insert(common, value);
                self.conditional(condition, then, otherwise, value_ty)
            }
            CExpr::Opaque(source) => match self.opaque.get(&source) {
                Some(&value) => value,
                None => self.value(source),
            },
            CExpr::Cast { kind, operand, .. } => self.cast_value(id, kind, operand, value_ty),
            CExpr::Call { callee, function, args } => match self.call(id, callee, function, args) {
                Some(value) => self.fit(value, value_ty),
                None => self.unknown(value_ty),
            },
            CExpr::StmtExpr(body) => match self.compound_value(body) {
                Some(value) => self.fit(value, value_ty),
                None => self.unknown(value_ty),
            },
            CExpr::InitList { inits: [inner], .. } => self.value(*inner),
            CExpr::ImplicitZero | CExpr::InitList { inits: [], .. } => self.constant(value_ty, 0),
            CExpr::SizeOf { operand, ty, align: false } => {
                if let Some(operand) = operand {
                    self.effects(operand);
                }
                let size = self.size(ty);
                self.fit(size, value_ty)
            }
            CExpr::VaArg(list) => {
                self.at(id);
                self.advance_va_list(list);
                self.unknown(value_ty)
            }
            CExpr::AddrLabel(_) => self.unknown(value_ty),
            CExpr::Atomic { name, operands } => self.atomic(id, name, operands, value_ty),
            // A member of a value that is not an lvalue: `f().x`.
            CExpr::Member { .. } | CExpr::Index { .. } => {
                let place = self.place(id);
                self.at(id);
                self.load(&place)
            }
            _ if self.unit.is_lvalue(id) => {
                let place = self.place(id);
                self.at(id);
                self.load(&place)
            }
            CExpr::FloatLiteral => {
                self.at(id);
                self.gap(Gap::WideFloat);
                self.unknown(value_ty)
            }
            _ => {
                self.unmodelled(id);
                self.unknown(value_ty)
            }
        }
    }

    fn constant_value(&mut self, id: NodeId, ty: Type) -> Option<Expr> {
        match ty {
            Type::Int(_) => self.unit.constant(id).map(|bits| self.constant(ty, bits)),
            Type::Float(FloatKind::F64) => {
                self.unit.float_constant(id).map(|x| self.constant(ty, u128::from(x.to_bits())))
            }
            Type::Float(FloatKind::F32) => {
                self.unit.float_constant(id).map(|x| self.constant(ty, u128::from((x as f32).to_bits())))
            }
            _ => None,
        }
    }

    /// A value of an unexpected type is replaced by an unknown one.
    fn fit(&mut self, value: Expr, ty: Type) -> Expr {
        match (self.ty(value), ty) {
            (from, to) if from == to => value,
            (Type::Int(_), Type::Int(bits)) => self.resize(value, false, bits),
            _ => self.unknown(ty),
        }
    }

    fn conditional(&mut self, condition: NodeId, then: NodeId, otherwise: NodeId, ty: Type) -> Expr {
        let [then_block, else_block, after] = [(); 3].map(|()| self.new_block());
        self.condition(condition, Origin::Conditional, then_block, else_block);
        let result = self.temp(ty);
        for (block, arm) in [(then_block, then), (else_block, otherwise)] {
            self.current = Some(block);
            if is_void(self.unit, self.unit.type_of(arm)) {
                self.effects(arm);
            } else {
                let value = self.value(arm);
                let value = self.fit(value, ty);
                self.at(arm);
                self.assign(result, value);
            }
            self.goto(after);
        }
        self.current = Some(after);
        self.read(result)
    }

    fn unary_value(&mut self, id: NodeId, op: CUnary, operand: NodeId, ty: Type) -> Expr {
        match op {
            CUnary::Plus | CUnary::Extension => self.value(operand),
            CUnary::Minus => {
                let value = self.value(operand);
                self.at(id);
                match ty {
                    Type::Float(_) => self.unary(UnaryOp::FNeg, value),
                    _ => {
                        if self.unit.is_signed(self.unit.type_of(id)) {
                            let zero = self.constant(ty, 0);
                            self.check_signed_overflow(BinaryOp::Sub, zero, value);
                        }
                        self.unary(UnaryOp::Neg, value)
                    }
                }
            }
            CUnary::BitNot => {
                let value = self.value(operand);
                self.unary(UnaryOp::Not, value)
            }
            CUnary::LogicalNot => {
                let truth = self.truth(operand);
                let negated = self.not(truth);
                self.truth_to(negated, ty)
            }
            CUnary::AddrOf => {
                let place = self.place(operand);
                self.address(place)
            }
            CUnary::Deref => {
                let place = self.place(id);
                self.at(id);
                self.load(&place)
            }
            CUnary::PreInc | CUnary::PreDec | CUnary::PostInc | CUnary::PostDec => self.step(id, op, operand),
            CUnary::Real if self.is_scalar(operand) => self.value(operand),
            CUnary::Imag if self.is_scalar(operand) => {
                self.effects(operand);
                self.constant(ty, 0)
            }
            CUnary::Real | CUnary::Imag => {
                let place = self.place(id);
                self.at(id);
                self.load(&place)
            }
        }
    }

    pub(super) fn truth_to(&mut self, truth: Expr, ty: Type) -> Expr {
        match ty {
            Type::Int(bits) => self.truth_as_int(truth, bits),
            _ => self.unknown(ty),
        }
    }

    fn binary_value(&mut self, id: NodeId, op: CBinary, left: NodeId, right: NodeId, ty: Type) -> Expr {
        match op {
            CBinary::Comma => {
                self.effects(left);
                self.value(right)
            }
            CBinary::Assign => self.assign_value(id, left, right),
            CBinary::LogicalAnd | CBinary::LogicalOr => {
                let origin = if op == CBinary::LogicalAnd { Origin::And } else { Origin::Or };
                let [on_true, on_false, after] = [(); 3].map(|()| self.new_block());
                self.condition(id, origin, on_true, on_false);
                let result = self.temp(ty);
                for (block, bit) in [(on_true, 1), (on_false, 0)] {
                    self.current = Some(block);
                    let value = self.constant(ty, bit);
                    self.assign(result, value);
                    self.goto(after);
                }
                self.current = Some(after);
                self.read(result)
            }
            _ if super::condition::is_comparison(op) => {
                if !self.is_scalar(left) {
                    self.unmodelled(id);
                    return self.unknown(ty);
                }
                let truth = self.comparison(id, op, left, right);
                self.truth_to(truth, ty)
            }
            _ if !self.is_scalar(left) || !self.is_scalar(right) => {
                self.unmodelled(id);
                self.unknown(ty)
            }
            _ => {
                let a = self.value(left);
                let b = self.value(right);
                self.at(id);
                self.arithmetic(
                    op,
                    (a, self.unit.type_of(left)),
                    (b, self.unit.type_of(right)),
                    self.unit.type_of(id),
                )
            }
        }
    }

    fn cast_value(&mut self, id: NodeId, kind: CastKind, operand: NodeId, ty: Type) -> Expr {
        match kind {
            CastKind::LValueToRValue => {
                let place = self.place(operand);
                self.at(operand);
                let value = self.load(&place);
                self.fit(value, ty)
            }
            CastKind::ArrayToPointer | CastKind::FunctionToPointer | CastKind::BuiltinToPointer => {
                let place = self.place(operand);
                self.address(place)
            }
            CastKind::NullToPointer => {
                self.effects(operand);
                self.null()
            }
            CastKind::PointerToBool | CastKind::IntegralToBool | CastKind::FloatingToBool => {
                if !self.is_scalar(operand) {
                    self.unmodelled(id);
                    return self.unknown(ty);
                }
                let truth = self.truth(operand);
                self.truth_to(truth, ty)
            }
            CastKind::NoOp
            | CastKind::BitCast
            | CastKind::IntegralCast
            | CastKind::IntegralToPointer
            | CastKind::PointerToIntegral
            | CastKind::IntegralToFloating
            | CastKind::FloatingToIntegral
            | CastKind::FloatingCast
            | CastKind::AtomicToNonAtomic
            | CastKind::NonAtomicToAtomic
                if self.is_scalar(operand) =>
            {
                let value = self.value(operand);
                self.at(id);
                self.convert(value, self.unit.type_of(operand), self.unit.type_of(id))
            }
            CastKind::BitCast => {
                // The bits of a vector as a scalar.
                let address = self.aggregate(operand);
                self.at(id);
                let memory = self.memory(address, self.unit.type_of(id));
                self.load(&Place::Memory(Memory { anything: true, ..memory }))
            }
            CastKind::Complex => {
                self.effects(operand);
                self.at(id);
                self.gap(Gap::Complex);
                self.unknown(ty)
            }
            _ => {
                self.unmodelled(id);
                self.unknown(ty)
            }
        }
    }

    /// A scalar of one C type as another.
    pub(super) fn convert(&mut self, value: Expr, from: TypeId, to: TypeId) -> Expr {
        let Some(target) = value_type(self.unit, to) else { return value };
        if is_bool(self.unit, to) && !is_bool(self.unit, from) {
            let truth = self.is_nonzero(value);
            return self.truth_to(truth, target);
        }
        let signed = self.unit.is_signed(from);
        let to_signed = self.unit.is_signed(to);
        match (self.ty(value), target) {
            (Type::Int(_), Type::Int(bits)) => self.resize(value, signed, bits),
            (Type::Int(_), Type::Ptr) => {
                let word = self.resize(value, signed, self.pointer_bits());
                self.cast(CastOp::IntToPtr, Type::Ptr, word)
            }
            (Type::Ptr, Type::Int(bits)) => {
                let word = self.cast(CastOp::PtrToInt, Type::Int(self.pointer_bits()), value);
                self.resize(word, false, bits)
            }
            (Type::Int(_), Type::Float(_)) => {
                self.cast(if signed { CastOp::SignedToFloat } else { CastOp::UnsignedToFloat }, target, value)
            }
            (Type::Float(_), Type::Int(_)) => self.cast(
                if to_signed { CastOp::FloatToSigned } else { CastOp::FloatToUnsigned },
                target,
                value,
            ),
            (Type::Float(a), Type::Float(b)) if a != b => self.cast(CastOp::FloatToFloat, target, value),
            _ => value,
        }
    }
}
