//! Lvalues: where a value is stored, and what must be checked before an access.
//!
//! Forming an lvalue checks nothing: `&p->f`, `&a[n]` and `p->array` as a value access no memory. The checks are kept
//! in the lvalue until it is read or written.

use super::function::{FunctionCx, Local};
use super::types::{MAX_BITS, is_bool, pointee, record_name, touches_anything, value_type};
use crate::clang::ast::{CastKind, DeclId, Expr as CExpr, NodeId, Type as CType, TypeId, UnaryOp as CUnary};
use cranelift_entity::EntityRef;
use gainsay_ir::gap::Gap;
use gainsay_ir::gc::{Access, BinaryOp, ClassData, Clobber, CmdKind, Expr, ExprData, Field, READ_BOOL, Var};
use gainsay_ir::types::Type;
use smallvec::SmallVec;

#[derive(Clone)]
pub(super) enum Place {
    Var(Var),
    Memory(Memory),
    /// A bit-field: `width` bits from bit `first` of the bytes at the address.
    Bits {
        memory: Memory,
        first: u64,
        width: u16,
    },
}

#[derive(Clone)]
pub(super) struct Memory {
    pub(super) addr: Expr,
    pub(super) ty: TypeId,
    pub(super) volatile: bool,
    /// May alias objects of any type: reached through a union.
    pub(super) anything: bool,
    pub(super) field: Option<(DeclId, DeclId)>,
    /// The pointer that an access dereferences.
    pub(super) pointer: Option<Expr>,
    /// Indices, and the counts that they must be below in an access.
    pub(super) bounds: SmallVec<[(Expr, u64); 1]>,
}

impl Place {
    /// Drops the pending checks, which have been made.
    pub(super) fn forget_checks(&mut self) {
        if let Place::Memory(memory) | Place::Bits { memory, .. } = self {
            memory.pointer = None;
            memory.bounds.clear();
        }
    }
}

impl FunctionCx<'_> {
    pub(super) fn memory(&self, addr: Expr, ty: TypeId) -> Memory {
        Memory {
            addr,
            ty,
            volatile: self.unit.is_volatile(ty) || matches!(self.unit.ty(ty), CType::Atomic(_)),
            anything: false,
            field: None,
            pointer: None,
            bounds: SmallVec::new(),
        }
    }

    /// The lvalue of an expression, or the storage of an aggregate value.
    pub(super) fn place(&mut self, id: NodeId) -> Place {
        let ty = self.unit.type_of(id);
        match self.unit.expr(id) {
            CExpr::Transparent(inner) => self.place(inner),
            CExpr::DeclRef(decl) => self.variable(decl, ty),
            CExpr::Unary { op: CUnary::Deref, operand } => {
                let pointer = self.value(operand);
                Place::Memory(self.through(pointer, ty))
            }
            CExpr::Index { base, index } => self.element(base, index, ty),
            CExpr::Member { base, field, arrow } => self.member(id, base, field, arrow),
            CExpr::String { bytes, .. } => {
                let size = self.unit.size_of(ty).unwrap_or(bytes.len() as u64);
                let symbol = self.symbols.string(self.unit, id, bytes, size);
                let addr = self.push_expr(ExprData::SymbolAddr(symbol), Type::Ptr);
                Place::Memory(self.memory(addr, ty))
            }
            CExpr::CompoundLiteral { init, file_scope } => {
                let addr = self.compound_literal(id, init, file_scope);
                Place::Memory(self.memory(addr, ty))
            }
            CExpr::Cast { kind: CastKind::LValueBitCast, operand, .. } => match self.place(operand) {
                Place::Memory(memory) => Place::Memory(Memory { ty, anything: true, ..memory }),
                other => other,
            },
            CExpr::Cast { kind: CastKind::NoOp, operand, .. } if self.unit.is_lvalue(id) => {
                self.place(operand)
            }
            CExpr::Cast { kind: CastKind::LValueToRValue, operand, .. } if !self.is_scalar(id) => {
                self.place(operand)
            }
            CExpr::Unary { op: CUnary::Real | CUnary::Imag, operand } => {
                // The parts of a complex number are adjacent.
                let part = match self.place(operand) {
                    Place::Memory(memory) => memory,
                    other => return other,
                };
                let second = matches!(self.unit.expr(id), CExpr::Unary { op: CUnary::Imag, .. });
                let bytes = if second { self.unit.size_of(ty).unwrap_or(0) } else { 0 };
                let addr = self.offset(part.addr, bytes);
                Place::Memory(Memory { addr, ty, anything: true, ..part })
            }
            // `aggregate` calls `place` for lvalues.
            _ if value_type(self.unit, ty).is_none()
                && !super::types::is_void(self.unit, ty)
                && !self.unit.is_lvalue(id) =>
            {
                let addr = self.aggregate(id);
                Place::Memory(self.memory(addr, ty))
            }
            _ => self.unknown_place(id, ty),
        }
    }

    /// An lvalue that is not modelled: an unknown place, whose reads give any value.
    fn unknown_place(&mut self, id: NodeId, ty: TypeId) -> Place {
        self.at(id);
        self.gap(Gap::Expression);
        self.emit(CmdKind::Clobber(Clobber::Escaped));
        let addr = self.unknown(Type::Ptr);
        let memory = self.memory(addr, ty);
        Place::Memory(Memory { volatile: true, anything: true, ..memory })
    }

    pub(super) fn variable(&mut self, decl: DeclId, ty: TypeId) -> Place {
        let addr = match self.local(decl) {
            Some(Local::Var(var)) => return Place::Var(var),
            Some(Local::Object(object)) => self.address_of(object),
            // Its length is known at run time only: an access is checked like one through a pointer.
            Some(Local::Dynamic(var)) => {
                let pointer = self.read(var);
                return Place::Memory(self.through(pointer, ty));
            }
            None if self.unit.is_function(decl) || self.unit.is_static_storage(decl) => {
                let symbol = self.symbols.symbol(self.unit, decl);
                self.push_expr(ExprData::SymbolAddr(symbol), Type::Ptr)
            }
            // A local used before its declaration is lowered: `sizeof x` in its own initialiser, jumps.
            None => match self.declare(decl) {
                Local::Var(var) => return Place::Var(var),
                Local::Object(object) => self.address_of(object),
                Local::Dynamic(var) => {
                    let pointer = self.read(var);
                    return Place::Memory(self.through(pointer, ty));
                }
            },
        };
        Place::Memory(self.memory(addr, ty))
    }

    /// The place that a pointer points to.
    pub(super) fn through(&mut self, pointer: Expr, ty: TypeId) -> Memory {
        let memory = self.memory(pointer, ty);
        Memory { pointer: Some(pointer), anything: self.unit.may_alias(ty), ..memory }
    }

    fn element(&mut self, base: NodeId, index: NodeId, ty: TypeId) -> Place {
        let array = self.array_under(base);
        let memory = match array {
            Some((array, _)) => match self.place(array) {
                Place::Memory(memory) => {
                    let anything = memory.anything || self.unit.may_alias(self.unit.type_of(array));
                    Memory { anything, ..memory }
                }
                _ => return self.unknown_place(base, ty),
            },
            None => {
                let pointer = self.value(base);
                self.through(pointer, ty)
            }
        };
        let signed = self.unit.is_signed(self.unit.type_of(index));
        let index = self.value(index);
        let index = self.resize(index, signed, self.pointer_bits());
        let step = self.size(ty);
        let bytes = self.binary(BinaryOp::Mul, index, step);
        let addr = self.binary(BinaryOp::PtrAdd, memory.addr, bytes);
        let volatile = memory.volatile || self.unit.is_volatile(ty);
        let mut memory = Memory { addr, ty, volatile, ..memory };
        if let Some((_, Some(count))) = array {
            memory.bounds.push((index, count));
        }
        Place::Memory(memory)
    }

    /// The array or vector lvalue that the base of an index expression decays from, and its number of elements if that
    /// is a bound. Arrays at the end of a record may have more elements than declared.
    fn array_under(&self, base: NodeId) -> Option<(NodeId, Option<u64>)> {
        match self.unit.expr(base) {
            CExpr::Transparent(inner) => self.array_under(inner),
            CExpr::Cast { kind: CastKind::ArrayToPointer, operand, .. } => {
                let count = match self.unit.ty(self.unit.type_of(operand)) {
                    CType::Array { count, .. } if count > 0 && !self.may_be_longer(operand, count) => {
                        // Programs often iterate over a matrix as one array.
                        self.rows_above(operand).and_then(|rows| count.checked_mul(rows))
                    }
                    _ => None,
                };
                Some((operand, count))
            }
            _ => match self.unit.ty(self.unit.type_of(base)) {
                CType::Vector { count, .. } => Some((base, Some(count))),
                _ => None,
            },
        }
    }

    /// The number of adjacent arrays like this one, if known.
    fn rows_above(&self, array: NodeId) -> Option<u64> {
        match self.unit.expr(array) {
            CExpr::Transparent(inner) => self.rows_above(inner),
            CExpr::Index { base, .. } => self.array_under(base)?.1,
            CExpr::Unary { op: CUnary::Deref, .. } => None,
            _ => Some(1),
        }
    }

    /// May the array have more elements than declared: the last member of a record reached through a pointer, or a
    /// placeholder?
    fn may_be_longer(&self, array: NodeId, count: u64) -> bool {
        match self.unit.expr(array) {
            CExpr::Transparent(inner) => self.may_be_longer(inner, count),
            CExpr::Member { base, field, arrow } => {
                let record = self.unit.field(field).record;
                let is_last = self.unit.is_union(record) || self.unit.members(record).last() == Some(&field);
                is_last && (arrow || count <= 1 || self.may_be_longer(base, count))
            }
            CExpr::Unary { op: CUnary::Deref, .. } => true,
            // A linker symbol, or one of the objects that the linker places in a row.
            CExpr::DeclRef(decl) if self.unit.is_static_storage(decl) => {
                self.symbols.is_placed(self.unit, decl) || count <= 1 && !self.unit.is_defined(decl)
            }
            // An element of an object reached through a pointer.
            CExpr::Index { base, .. } => self.array_under(base).is_none(),
            _ => false,
        }
    }

    fn member(&mut self, id: NodeId, base: NodeId, field: DeclId, arrow: bool) -> Place {
        let ty = self.unit.type_of(id);
        let memory = if arrow {
            let pointer = self.value(base);
            let record_ty = pointee(self.unit, self.unit.type_of(base)).unwrap_or(ty);
            self.through(pointer, record_ty)
        } else {
            match self.place(base) {
                Place::Memory(memory) => memory,
                _ => return self.unknown_place(id, ty),
            }
        };
        self.member_of(memory, field, ty)
    }

    /// A field of the record at a place.
    pub(super) fn member_of(&mut self, memory: Memory, field: DeclId, ty: TypeId) -> Place {
        let info = self.unit.field(field);
        let (bit_offset, bit_width, record) = (info.bit_offset, info.bit_width, info.record);
        let bits = bit_offset % 8;
        let addr = self.offset(memory.addr, bit_offset / 8);
        let in_union = self.unit.is_union(record);
        let memory = Memory {
            addr,
            ty,
            volatile: memory.volatile || self.unit.is_volatile(ty),
            anything: memory.anything || in_union || self.unit.may_alias(memory.ty),
            field: Some((record, field)),
            ..memory
        };
        match bit_width {
            Some(width) => Place::Bits { memory, first: bits, width: width as u16 },
            None => Place::Memory(memory),
        }
    }

    /// Address of a place, without its pending checks.
    pub(super) fn address(&mut self, place: Place) -> Expr {
        match place {
            Place::Memory(memory) | Place::Bits { memory, .. } => memory.addr,
            Place::Var(_) => {
                // Reached only if clang accepts the address of a register variable.
                self.gap(Gap::Expression);
                self.unknown(Type::Ptr)
            }
        }
    }

    /// Makes the pending checks of an access.
    pub(super) fn check_place(&mut self, memory: &Memory, bytes: u64) {
        if bytes == 0 {
            return;
        }
        for &(index, count) in &memory.bounds {
            self.check_bounds(index, count);
        }
        if let Some(pointer) = memory.pointer
            && !self.is_fixed_address(pointer, memory.volatile)
        {
            self.check_pointer(pointer, memory.addr, bytes);
        }
    }

    pub(super) fn load(&mut self, place: &Place) -> Expr {
        match place {
            Place::Var(var) => {
                self.check_initialised(*var);
                self.read(*var)
            }
            Place::Memory(memory) => {
                let Some(ty) = value_type(self.unit, memory.ty) else {
                    self.gap(Gap::Expression);
                    return self.unknown(Type::Int(self.pointer_bits()));
                };
                self.check_place(memory, ty.bytes(self.pointer_bits()));
                let access = self.access(memory, ty);
                let value = self.load_access(memory.addr, access);
                if is_bool(self.unit, memory.ty) {
                    self.mark_read(value, READ_BOOL);
                }
                value
            }
            Place::Bits { memory, first, width } if container_bits(*first, *width) > MAX_BITS => {
                self.gap(Gap::Expression);
                let ty = value_type(self.unit, memory.ty).unwrap_or(Type::Int(*width));
                self.unknown(ty)
            }
            Place::Bits { memory, first, width } => {
                let container = container_bits(*first, *width);
                self.check_place(memory, u64::from(container / 8));
                let access = self.access(memory, Type::Int(container));
                let bytes = self.load_access(memory.addr, access);
                let low = self.low_bit(container, *first, *width);
                self.extract(bytes, low, *width, memory.ty)
            }
        }
    }

    fn load_access(&mut self, addr: Expr, access: Access) -> Expr {
        let volatile = access.volatile || self.is_fixed_address(addr, access.volatile);
        let access = Access { volatile, ..access };
        let dst = self.temp(access.ty);
        self.emit(CmdKind::Load { dst, addr, access });
        self.read(dst)
    }

    /// Names what was just read after its kind.
    fn mark_read(&mut self, value: Expr, mark: &str) {
        if let ExprData::Var(var) = self.function.exprs[value] {
            self.function.vars[var].name = format!("{mark}{}", self.n_temps);
        }
    }

    /// Stores the value and returns the value that the place then has.
    pub(super) fn store(&mut self, place: &Place, value: Expr) -> Expr {
        match place {
            Place::Var(var) => {
                self.assign(*var, value);
                self.read(*var)
            }
            Place::Memory(memory) => {
                let ty = self.ty(value);
                self.check_place(memory, ty.bytes(self.pointer_bits()));
                let access = self.access(memory, ty);
                let value = self.hold(value);
                self.emit(CmdKind::Store { addr: memory.addr, value, access });
                self.written_at(memory);
                value
            }
            Place::Bits { memory, first, width } if container_bits(*first, *width) > MAX_BITS => {
                self.gap(Gap::Expression);
                let len = self.word(u64::from(container_bits(*first, *width) / 8));
                self.emit(CmdKind::Clobber(Clobber::Range { addr: memory.addr, len }));
                self.unknown(self.ty(value))
            }
            Place::Bits { memory, first, width } => {
                let container = container_bits(*first, *width);
                self.check_place(memory, u64::from(container / 8));
                let access = self.access(memory, Type::Int(container));
                let value = self.hold(value);
                let narrow = self.resize(value, false, *width);
                let new = self.resize(narrow, false, container);
                let low = self.low_bit(container, *first, *width);
                let shift = self.int(container, u128::from(low));
                let new = if low == 0 { new } else { self.binary(BinaryOp::Shl, new, shift) };
                let merged = if container == *width {
                    new
                } else {
                    let old = self.load_access(memory.addr, access);
                    let field = super::build::mask(u128::MAX, *width) << low;
                    let keep = self.int(container, !field);
                    let old = self.binary(BinaryOp::And, old, keep);
                    self.binary(BinaryOp::Or, old, new)
                };
                self.emit(CmdKind::Store { addr: memory.addr, value: merged, access });
                self.written_at(memory);
                let wide = self.resize(value, false, container.max(*width));
                self.extract(wide, 0, *width, memory.ty)
            }
        }
    }

    /// A fixed address may alias any object, or a device that changes one.
    fn written_at(&mut self, memory: &Memory) {
        if self.is_fixed_address(memory.addr, memory.volatile) {
            self.emit(CmdKind::Clobber(Clobber::Escaped));
        }
    }

    /// Havocs the place.
    pub(super) fn havoc_place(&mut self, place: &Place) {
        match place {
            Place::Var(var) => self.emit(CmdKind::Havoc(*var)),
            Place::Memory(memory) | Place::Bits { memory, .. } => {
                let len = self.size(memory.ty);
                self.emit(CmdKind::Clobber(Clobber::Range { addr: memory.addr, len }));
            }
        }
    }

    /// Position of the bit-field's lowest bit in its container.
    fn low_bit(&self, container: u16, first: u64, width: u16) -> u16 {
        if self.unit.target.big_endian { container - first as u16 - width } else { first as u16 }
    }

    /// `width` bits from `low` as a value of type `ty`.
    fn extract(&mut self, bits: Expr, low: u16, width: u16, ty: TypeId) -> Expr {
        let Type::Int(container) = self.ty(bits) else { return bits };
        let shift = self.int(container, u128::from(low));
        let shifted = if low == 0 { bits } else { self.binary(BinaryOp::LShr, bits, shift) };
        let narrow = self.resize(shifted, false, width);
        match value_type(self.unit, ty) {
            Some(Type::Int(to)) => self.resize(narrow, self.unit.is_signed(ty), to),
            _ => narrow,
        }
    }

    pub(super) fn plain_access(&mut self, ty: TypeId, value: Type) -> Access {
        let memory = self.memory(Expr::new(0), ty);
        self.access(&memory, value)
    }

    /// An access to bytes regardless of their type.
    pub(super) fn raw_access(&mut self, ty: Type) -> Access {
        Access { ty, class: self.symbols.class(ClassData { ty: None, field: None }), volatile: false }
    }

    fn access(&mut self, memory: &Memory, ty: Type) -> Access {
        let anything =
            memory.anything || !self.unit.strict_aliasing || touches_anything(self.unit, memory.ty);
        let class = if anything { ClassData { ty: None, field: None } } else { self.class_of(memory, ty) };
        Access { ty, class: self.symbols.class(class), volatile: memory.volatile }
    }

    fn class_of(&self, memory: &Memory, ty: Type) -> ClassData {
        let Some((record, field)) = memory.field else { return ClassData { ty: Some(ty), field: None } };
        let record_name = record_name(self.unit, record);
        let info = self.unit.field(field);
        let offset = info.bit_offset / 8;
        if info.bit_width.is_none() {
            let field = Field { record: record_name, name: info.name.to_owned(), offset };
            return ClassData { ty: Some(ty), field: Some(field) };
        }
        // Neighbouring bit-fields share bytes, so the whole run of them is one alias class.
        let fields = self.unit.members(record);
        let mut first = fields.iter().position(|&f| f == field).unwrap_or(0);
        while first > 0 && self.unit.field(fields[first - 1]).bit_width.is_some() {
            first -= 1;
        }
        // Its storage may be read as a whole through the declared type (flag words).
        let first_info = self.unit.field(fields[first]);
        let ty = value_type(self.unit, first_info.ty).filter(|_| !touches_anything(self.unit, first_info.ty));
        let offset = first_info.bit_offset / 8;
        ClassData { ty, field: Some(Field { record: record_name, name: format!("bits{first}"), offset }) }
    }
}

/// Width of the bytes that a bit-field occupies.
fn container_bits(first: u64, width: u16) -> u16 {
    (first as u16 + width).div_ceil(8) * 8
}
