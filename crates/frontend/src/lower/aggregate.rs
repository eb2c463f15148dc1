//! Records, arrays, complex numbers and vectors: values that live in memory and are represented by their address.

use super::constant::is_unnamed_bit_field;
use super::function::FunctionCx;
use super::place::{Memory, Place};
use super::types::value_type;
use crate::clang::ast::{
    BinaryOp as CBinary, CastKind, DeclId, Expr as CExpr, NodeId, Type as CType, TypeId, UnaryOp as CUnary,
};
use crate::limits;
use gainsay_ir::gap::Gap;
use gainsay_ir::gc::{Access, Clobber, CmdKind, Expr, ExprData, Origin};
use gainsay_ir::types::Type;

impl FunctionCx<'_> {
    /// Address of the bytes of an aggregate value.
    pub(super) fn aggregate(&mut self, id: NodeId) -> Expr {
        let ty = self.unit.type_of(id);
        match self.unit.expr(id) {
            CExpr::Transparent(inner) => self.aggregate(inner),
            CExpr::Cast { kind: CastKind::LValueToRValue, operand, .. } => {
                let address = self.aggregate_place(id, operand);
                if self.is_volatile_place(operand) {
                    return self.volatile_copy(address, ty);
                }
                address
            }
            CExpr::Cast {
                kind:
                    CastKind::NoOp | CastKind::BitCast | CastKind::AtomicToNonAtomic | CastKind::NonAtomicToAtomic,
                operand,
                ..
            } if !self.is_scalar(operand) => self.aggregate(operand),
            CExpr::Cast { kind: CastKind::ToUnion, operand, union_field: Some(field), .. } => {
                let address = self.fresh(ty, "union");
                self.initialise_field(address, field, operand);
                address
            }
            CExpr::Call { callee, function, args } => match self.call(id, callee, function, args) {
                Some(address) if self.ty(address) == Type::Ptr => address,
                _ => self.anything(ty),
            },
            CExpr::Binary { op: CBinary::Assign, left, right } => {
                let src = self.aggregate(right);
                let dst = self.aggregate_place(id, left);
                self.copy(dst, src, ty);
                dst
            }
            CExpr::Binary { op: CBinary::Comma, left, right } => {
                self.effects(left);
                self.aggregate(right)
            }
            CExpr::Conditional { condition, then, otherwise } => {
                let [then_block, else_block, after] = [(); 3].map(|()| self.new_block());
                self.condition(condition, Origin::Conditional, then_block, else_block);
                let result = self.temp(Type::Ptr);
                for (block, arm) in [(then_block, then), (else_block, otherwise)] {
                    self.current = Some(block);
                    let address = self.aggregate(arm);
                    self.assign(result, address);
                    self.goto(after);
                }
                self.current = Some(after);
                self.read(result)
            }
            CExpr::StmtExpr(body) => match self.compound_value(body) {
                Some(address) if self.ty(address) == Type::Ptr => address,
                _ => self.anything(ty),
            },
            CExpr::VaArg(list) => {
                self.at(id);
                self.advance_va_list(list);
                self.anything(ty)
            }
            CExpr::InitList { .. } | CExpr::ImplicitZero => {
                let address = self.fresh(ty, "init");
                self.initialise(address, ty, id);
                address
            }
            // Not an lvalue if clang creates it for a transparent union argument.
            CExpr::CompoundLiteral { init, file_scope } => self.compound_literal(id, init, file_scope),
            CExpr::Opaque(source) => self.aggregate(source),
            CExpr::Binary { op, left, right } if !self.is_scalar(left) && !self.is_scalar(right) => {
                let (a, b) = (self.aggregate(left), self.aggregate(right));
                self.at(id);
                let (a, b) = ((a, self.unit.type_of(left)), (b, self.unit.type_of(right)));
                let value = self.elementwise(op, a, b, ty);
                value.unwrap_or_else(|| self.not_modelled(ty))
            }
            CExpr::CompoundAssign { op, left, right, .. } => {
                self.compound_assign_aggregate(id, op, left, right)
            }
            CExpr::Unary {
                op: CUnary::PreInc | CUnary::PreDec | CUnary::PostInc | CUnary::PostDec,
                operand,
            } => {
                let changed = self.aggregate_place(id, operand);
                self.forget_aggregate(changed, ty);
                self.anything(ty)
            }
            CExpr::Unary { op: op @ (CUnary::Minus | CUnary::BitNot), operand } => {
                let vector = self.aggregate(operand);
                self.at(id);
                let value = self.negated_elements(op, vector, ty);
                value.unwrap_or_else(|| self.not_modelled(ty))
            }
            CExpr::Cast { kind: CastKind::Vector, operand, .. } if self.is_scalar(operand) => {
                match self.elements(ty) {
                    Some(elements) => self.splat(id, operand, elements),
                    None => self.unknown_aggregate(id),
                }
            }
            CExpr::Cast { kind: CastKind::BitCast, operand, .. } if self.is_scalar(operand) => {
                // A vector made of the bits of a scalar.
                let value = self.value(operand);
                self.at(id);
                let address = self.fresh(ty, "vector");
                let memory = self.memory(address, ty);
                self.store(&Place::Memory(Memory { anything: true, ..memory }), value);
                address
            }
            CExpr::Member { .. } | CExpr::Index { .. } => self.aggregate_place(id, id),
            _ if self.unit.is_lvalue(id) => self.aggregate_place(id, id),
            _ => self.unknown_aggregate(id),
        }
    }

    /// `left op= right` on vectors and complex numbers.
    fn compound_assign_aggregate(&mut self, id: NodeId, op: CBinary, left: NodeId, right: NodeId) -> Expr {
        let [a_ty, b_ty, ty] = [left, right, id].map(|e| self.unit.type_of(e));
        if self.is_scalar(right) {
            self.effects(right);
            let dst = self.aggregate_place(id, left);
            self.forget_aggregate(dst, ty);
            return dst;
        }
        let b = self.aggregate(right);
        let dst = self.aggregate_place(id, left);
        match self.elementwise(op, (dst, a_ty), (b, b_ty), ty) {
            Some(value) => self.copy(dst, value, ty),
            None => self.forget_aggregate(dst, ty),
        }
        dst
    }

    /// Havocs an aggregate that is changed in a way that is not modelled.
    fn forget_aggregate(&mut self, address: Expr, ty: TypeId) {
        self.gap_of(ty);
        let memory = self.memory(address, ty);
        self.havoc_place(&Place::Memory(memory));
    }

    fn gap_of(&mut self, ty: TypeId) {
        self.gap(match self.unit.ty(ty) {
            CType::Complex(_) => Gap::Complex,
            CType::Vector { .. } => Gap::Vector,
            _ => Gap::Expression,
        });
    }

    /// An aggregate that is not modelled: its operands are evaluated, its contents are unknown.
    fn unknown_aggregate(&mut self, id: NodeId) -> Expr {
        let ty = self.unit.type_of(id);
        self.unmodelled(id);
        self.not_modelled(ty)
    }

    fn not_modelled(&mut self, ty: TypeId) -> Expr {
        self.gap_of(ty);
        self.anything(ty)
    }

    /// Address of a new temporary whose contents are not modelled.
    fn anything(&mut self, ty: TypeId) -> Expr {
        let address = self.fresh(ty, "unknown");
        let memory = self.memory(address, ty);
        self.havoc_place(&Place::Memory(memory));
        address
    }

    /// Address of an aggregate lvalue that is read or written as a whole.
    fn aggregate_place(&mut self, id: NodeId, lvalue: NodeId) -> Expr {
        let ty = self.unit.type_of(lvalue);
        let place = self.place(lvalue);
        self.at(id);
        if let Place::Memory(memory) = &place {
            self.check_place(memory, self.unit.size_of(ty).unwrap_or(0));
        }
        self.address(place)
    }

    /// A copy of an object that may change at any time, so each read may give another value.
    fn volatile_copy(&mut self, src: Expr, ty: TypeId) -> Expr {
        let copy = self.fresh(ty, "volatile");
        let size = self.unit.size_of(ty).unwrap_or(u64::MAX);
        if size > limits::VOLATILE_COPY_BYTES {
            self.copy(copy, src, ty);
            let len = self.size(ty);
            self.emit(CmdKind::Clobber(Clobber::Range { addr: copy, len }));
            return copy;
        }
        let mut at = 0;
        while at < size {
            let bytes = [8, 4, 2, 1].into_iter().find(|&bytes| at + bytes <= size).unwrap_or(1);
            let access = self.raw_access(Type::Int(8 * bytes as u16));
            let dst = self.temp(access.ty);
            let addr = self.offset(src, at);
            self.emit(CmdKind::Load { dst, addr, access: Access { volatile: true, ..access } });
            let (addr, value) = (self.offset(copy, at), self.read(dst));
            self.emit(CmdKind::Store { addr, value, access });
            at += bytes;
        }
        copy
    }

    /// Is the aggregate, or a part of it, volatile or atomic?
    fn is_volatile_place(&self, lvalue: NodeId) -> bool {
        let ty = self.unit.type_of(lvalue);
        self.unit.is_volatile(ty) || self.has_volatile_part(ty)
    }

    fn has_volatile_part(&self, ty: TypeId) -> bool {
        match self.unit.ty(ty) {
            CType::Atomic(_) => true,
            CType::Array { elem, .. } => self.unit.is_volatile(elem) || self.has_volatile_part(elem),
            CType::Record(record) => self.unit.members(record).iter().any(|&field| {
                let ty = self.unit.field(field).ty;
                self.unit.is_volatile(ty) || self.has_volatile_part(ty)
            }),
            _ => false,
        }
    }

    pub(super) fn copy(&mut self, dst: Expr, src: Expr, ty: TypeId) {
        let len = self.size(ty);
        self.emit(CmdKind::Copy { dst, src, len });
    }

    /// Address of a new temporary with any contents.
    pub(super) fn fresh(&mut self, ty: TypeId, what: &str) -> Expr {
        let object = self.temp_object(what, self.unit.size_of(ty).unwrap_or(0), self.unit.align_of(ty));
        self.emit(CmdKind::EnterObject(object));
        self.address_of(object)
    }

    pub(super) fn compound_literal(&mut self, id: NodeId, init: NodeId, file_scope: bool) -> Expr {
        if file_scope {
            let symbol = self.symbols.literal(self.unit, id, init);
            return self.push_expr(ExprData::SymbolAddr(symbol), Type::Ptr);
        }
        let ty = self.unit.type_of(id);
        self.at(id);
        let address = self.fresh(ty, "literal");
        self.initialise(address, ty, init);
        address
    }

    /// Give the object at `address` its initial value.
    pub(super) fn initialise(&mut self, address: Expr, ty: TypeId, init: NodeId) {
        let memory = self.memory(address, ty);
        self.initialise_memory(memory, init);
    }

    fn initialise_memory(&mut self, memory: Memory, init: NodeId) {
        let ty = memory.ty;
        if let CExpr::Transparent(inner) = self.unit.expr(init) {
            return self.initialise_memory(memory, inner);
        }
        if self.is_scalar_type(ty) {
            let value = self.value(init);
            self.at(init);
            self.store(&Place::Memory(memory), value);
            return;
        }
        match self.unit.expr(init) {
            CExpr::NoInit => {}
            CExpr::ImplicitZero => {
                self.at(init);
                self.zero(memory.addr, ty);
            }
            CExpr::InitList { inits, filler, union_field } => {
                if self.leaves_zeros(ty, inits, filler) {
                    self.at(init);
                    self.zero(memory.addr, ty);
                }
                self.initialise_list(memory, inits, filler, union_field);
            }
            CExpr::DesignatedUpdate { base, updater } => {
                self.initialise_memory(memory.clone(), base);
                match self.unit.expr(updater) {
                    CExpr::InitList { inits, filler, union_field } => {
                        self.initialise_list(memory, inits, filler, union_field);
                    }
                    _ => self.initialise_memory(memory, updater),
                }
            }
            CExpr::String { bytes, .. } if !matches!(self.unit.ty(ty), CType::Record(_)) => {
                self.at(init);
                let room = self.unit.size_of(ty).unwrap_or(0);
                let given = (bytes.len() as u64).min(room);
                if given < room {
                    self.zero(memory.addr, ty);
                }
                let symbol = self.symbols.string(
                    self.unit,
                    init,
                    bytes,
                    self.unit.size_of(self.unit.type_of(init)).unwrap_or(given),
                );
                let src = self.push_expr(ExprData::SymbolAddr(symbol), Type::Ptr);
                let len = self.word(given);
                self.emit(CmdKind::Copy { dst: memory.addr, src, len });
            }
            _ => {
                let src = self.aggregate(init);
                self.at(init);
                self.copy(memory.addr, src, ty);
            }
        }
    }

    fn zero(&mut self, address: Expr, ty: TypeId) {
        let byte = self.int(8, 0);
        let len = self.size(ty);
        self.emit(CmdKind::Fill { dst: address, byte, len });
    }

    /// Does the initialiser list leave parts of the object zero?
    fn leaves_zeros(&self, ty: TypeId, inits: &[NodeId], filler: Option<NodeId>) -> bool {
        let is_zero = |&init: &NodeId| matches!(self.unit.expr(init), CExpr::ImplicitZero);
        match self.unit.ty(ty) {
            CType::Record(record) => {
                // Bytes of a union beyond the initialised member are unspecified.
                inits.is_empty() || inits.iter().any(is_zero) || self.has_bit_fields(record)
            }
            _ => filler.is_some() || inits.is_empty() || inits.iter().any(is_zero),
        }
    }

    fn has_bit_fields(&self, record: DeclId) -> bool {
        self.unit.members(record).iter().any(|&field| self.unit.field(field).bit_width.is_some())
    }

    fn initialise_list(
        &mut self,
        memory: Memory,
        inits: &[NodeId],
        filler: Option<NodeId>,
        union_field: Option<DeclId>,
    ) {
        match self.unit.ty(memory.ty) {
            CType::Array { elem, count } => {
                let step = self.unit.size_of(elem).unwrap_or(0);
                let filler =
                    filler.filter(|&f| !matches!(self.unit.expr(f), CExpr::ImplicitZero | CExpr::NoInit));
                if filler.is_some()
                    && count.saturating_sub(inits.len() as u64) > limits::LOCAL_FILLED_ELEMENTS
                {
                    // `[0 ... N] = x` over a huge array is not expanded.
                    self.gap(Gap::Initialiser);
                    self.havoc_place(&Place::Memory(memory));
                    return;
                }
                let fillers = (inits.len() as u64..count).filter_map(|i| filler.map(|f| (i, f)));
                let elements: Vec<(u64, NodeId)> =
                    inits.iter().enumerate().map(|(i, &init)| (i as u64, init)).chain(fillers).collect();
                for (i, init) in elements {
                    if matches!(self.unit.expr(init), CExpr::ImplicitZero) {
                        continue;
                    }
                    let addr = self.offset(memory.addr, i * step);
                    self.initialise_memory(Memory { addr, ty: elem, ..memory.clone() }, init);
                }
            }
            CType::Record(record) if self.unit.is_union(record) => {
                if let (Some(field), Some(&init)) = (union_field, inits.first()) {
                    self.initialise_field(memory.addr, field, init);
                }
            }
            CType::Record(record) => {
                let unit = self.unit;
                let fields = unit.members(record).iter().filter(|&&f| !is_unnamed_bit_field(unit, f));
                for (&field, &init) in fields.zip(inits) {
                    if !matches!(unit.expr(init), CExpr::ImplicitZero) {
                        self.initialise_field(memory.addr, field, init);
                    }
                }
            }
            CType::Vector { .. }
                if self.elements(memory.ty).is_some() && inits.iter().all(|&init| self.is_scalar(init)) =>
            {
                if let Some(elements) = self.elements(memory.ty) {
                    self.initialise_elements(memory.addr, elements, inits);
                }
            }
            _ => {
                // Complex numbers and long vectors.
                for &init in inits {
                    self.effects(init);
                }
                self.gap(Gap::Vector);
                self.havoc_place(&Place::Memory(memory));
            }
        }
    }

    fn initialise_field(&mut self, record_address: Expr, field: DeclId, init: NodeId) {
        if matches!(self.unit.expr(init), CExpr::NoInit) {
            return;
        }
        let info = self.unit.field(field);
        let (bit_offset, ty, record, width) = (info.bit_offset, info.ty, info.record, info.bit_width);
        let addr = self.offset(record_address, bit_offset / 8);
        let memory = self.memory(addr, ty);
        let memory = Memory { field: Some((record, field)), anything: self.unit.is_union(record), ..memory };
        match width {
            Some(width) => {
                let value = self.value(init);
                let value = match value_type(self.unit, ty) {
                    Some(Type::Int(bits)) => self.resize(value, false, bits),
                    _ => value,
                };
                self.at(init);
                self.store(&Place::Bits { memory, first: bit_offset % 8, width: width as u16 }, value);
            }
            None => self.initialise_memory(memory, init),
        }
    }
}
