//! Initial contents of objects with static storage: constant expressions evaluated to bytes and addresses.

use super::fold::{self, IntType};
use super::symbols::Symbols;
use super::types::{pointee, value_type};
use crate::clang::ast::{BinaryOp, CastKind, Expr, NodeId, Type, TypeId, UnaryOp, Unit};
use crate::limits;
use gainsay_ir::gc::{Init, InitPart, Symbol};
use gainsay_ir::types::{self, FloatKind};
use std::collections::BTreeMap;

enum Value {
    Bits(u128),
    Address(Symbol, i64),
}

/// Contents of an object of type `ty`: all zero without an initialiser, `None` if the initialiser is not supported.
pub(super) fn initialiser(
    unit: &Unit,
    symbols: &mut Symbols,
    ty: TypeId,
    init: Option<NodeId>,
) -> Option<Init> {
    let Some(init) = init else {
        return Some(Init::default());
    };
    let mut image = Image { unit, symbols, bytes: Vec::new(), addresses: BTreeMap::new() };
    image.object(ty, init, 0)?;
    Some(image.finish())
}

struct Image<'a> {
    unit: &'a Unit,
    symbols: &'a mut Symbols,
    bytes: Vec<u8>,
    addresses: BTreeMap<u64, (Symbol, i64)>,
}

impl Image<'_> {
    fn object(&mut self, ty: TypeId, init: NodeId, at: u64) -> Option<()> {
        if value_type(self.unit, ty).is_some() && !matches!(self.unit.expr(init), Expr::NoInit) {
            return self.scalar(ty, init, at);
        }
        match self.unit.expr(init) {
            Expr::Transparent(inner) => self.object(ty, inner, at),
            Expr::ImplicitZero | Expr::NoInit => Some(()),
            Expr::InitList { inits, filler, union_field } => self.list(ty, inits, filler, union_field, at),
            Expr::DesignatedUpdate { base, updater } => {
                self.object(ty, base, at)?;
                self.object(ty, updater, at)
            }
            Expr::String { bytes, .. }
                if matches!(self.unit.ty(ty), Type::Array { .. } | Type::IncompleteArray(_)) =>
            {
                let room = self.unit.size_of(ty).unwrap_or(bytes.len() as u64) as usize;
                self.write(at, &bytes[..bytes.len().min(room)])
            }
            Expr::CompoundLiteral { init, .. } => self.object(ty, init, at),
            Expr::Cast { operand, .. } => self.object(ty, operand, at),
            _ => None,
        }
    }

    fn list(
        &mut self,
        ty: TypeId,
        inits: &[NodeId],
        filler: Option<NodeId>,
        union_field: Option<crate::clang::ast::DeclId>,
        at: u64,
    ) -> Option<()> {
        match self.unit.ty(ty) {
            Type::Array { elem, count } => {
                let size = self.unit.size_of(elem)?;
                for (i, &init) in inits.iter().enumerate() {
                    self.object(elem, init, at + i as u64 * size)?;
                }
                let Some(filler) = filler else { return Some(()) };
                if matches!(self.unit.expr(filler), Expr::ImplicitZero | Expr::NoInit) {
                    return Some(());
                }
                if count > limits::STATIC_FILLED_ELEMENTS {
                    return None;
                }
                for i in inits.len() as u64..count {
                    self.object(elem, filler, at + i * size)?;
                }
                Some(())
            }
            // A flexible array has the size of its own initialiser.
            Type::IncompleteArray(_) if matches!(inits, [one] if self.is_string(*one)) => {
                self.object(ty, inits[0], at)
            }
            Type::IncompleteArray(elem) => {
                let size = self.unit.size_of(elem)?;
                for (i, &init) in inits.iter().enumerate() {
                    self.object(elem, init, at + i as u64 * size)?;
                }
                Some(())
            }
            Type::Vector { elem, count } if inits.len() as u64 <= count => {
                let size = self.unit.size_of(elem)?;
                if inits.iter().any(|&init| value_type(self.unit, self.unit.type_of(init)).is_none()) {
                    return None;
                }
                for (i, &init) in inits.iter().enumerate() {
                    self.object(elem, init, at + i as u64 * size)?;
                }
                Some(())
            }
            Type::Record(record) if self.unit.is_union(record) => {
                let (Some(field), Some(&init)) = (union_field, inits.first()) else { return Some(()) };
                self.field(field, init, at)
            }
            Type::Record(record) => {
                let unit = self.unit;
                let fields = unit.members(record).iter().filter(|&&f| !is_unnamed_bit_field(unit, f));
                for (&field, &init) in fields.zip(inits) {
                    self.field(field, init, at)?;
                }
                Some(())
            }
            _ => match inits {
                [] => Some(()),
                [init] => self.object(ty, *init, at),
                _ => None,
            },
        }
    }

    fn is_string(&self, init: NodeId) -> bool {
        match self.unit.expr(init) {
            Expr::Transparent(inner) => self.is_string(inner),
            Expr::String { .. } => true,
            _ => false,
        }
    }

    fn field(&mut self, field: crate::clang::ast::DeclId, init: NodeId, at: u64) -> Option<()> {
        let field = self.unit.field(field);
        let Some(width) = field.bit_width else {
            return self.object(field.ty, init, at + field.bit_offset / 8);
        };
        if matches!(self.unit.expr(init), Expr::ImplicitZero | Expr::NoInit) {
            return Some(());
        }
        let Value::Bits(bits) = self.value(init)? else { return None };
        let first = at * 8 + field.bit_offset;
        for i in 0..width {
            let value = (bits >> i) & 1 != 0;
            let position = if self.unit.target.big_endian { first + width - 1 - i } else { first + i };
            let mask =
                if self.unit.target.big_endian { 0x80 >> (position % 8) } else { 1u8 << (position % 8) };
            let byte = self.byte_mut(position / 8)?;
            *byte = if value { *byte | mask } else { *byte & !mask };
        }
        Some(())
    }

    fn scalar(&mut self, ty: TypeId, init: NodeId, at: u64) -> Option<()> {
        let value_ty = value_type(self.unit, ty)?;
        match self.value(init)? {
            Value::Bits(bits) => {
                let n = value_ty.bytes(self.unit.target.pointer_bits) as usize;
                let mut bytes = bits.to_le_bytes()[..n].to_vec();
                if self.unit.target.big_endian {
                    bytes.reverse();
                }
                self.write(at, &bytes)
            }
            Value::Address(symbol, offset) => {
                if value_ty.bits(self.unit.target.pointer_bits) != self.unit.target.pointer_bits {
                    return None;
                }
                // Removes what an overridden initialiser left here.
                self.write(at, &vec![0; usize::from(self.unit.target.pointer_bits / 8)])?;
                self.addresses.insert(at, (symbol, offset));
                Some(())
            }
        }
    }

    fn value(&mut self, node: NodeId) -> Option<Value> {
        let unit = self.unit;
        if let Some(bits) = unit.constant(node) {
            return Some(Value::Bits(bits));
        }
        if let Some(float) = unit.float_constant(node) {
            return match value_type(unit, unit.type_of(node))? {
                types::Type::Float(FloatKind::F32) => Some(Value::Bits(u128::from((float as f32).to_bits()))),
                types::Type::Float(FloatKind::F64) => Some(Value::Bits(u128::from(float.to_bits()))),
                _ => None,
            };
        }
        match unit.expr(node) {
            Expr::Transparent(inner) => self.value(inner),
            Expr::InitList { inits: [inner], .. } => self.value(*inner),
            Expr::ImplicitZero => Some(Value::Bits(0)),
            Expr::Cast { kind, operand, .. } => match kind {
                CastKind::NullToPointer => Some(Value::Bits(0)),
                CastKind::ArrayToPointer | CastKind::FunctionToPointer | CastKind::BuiltinToPointer => {
                    self.lvalue(operand)
                }
                CastKind::BitCast
                | CastKind::NoOp
                | CastKind::IntegralToPointer
                | CastKind::PointerToIntegral => self.value(operand),
                CastKind::IntegralCast => match self.value(operand)? {
                    address @ Value::Address(..) => Some(address),
                    Value::Bits(bits) => Some(Value::Bits(self.int_type(node)?.extend(bits))),
                },
                _ => None,
            },
            Expr::Unary { op: UnaryOp::AddrOf, operand } => self.lvalue(operand),
            Expr::Unary { op, operand } => {
                let (ty, Value::Bits(bits)) = (self.int_type(node)?, self.value(operand)?) else {
                    return None;
                };
                Some(Value::Bits(fold::unary(op, bits, ty)?))
            }
            Expr::Binary { op, left, right } if self.int_type(node).is_some() => {
                let ty = self.int_type(node)?;
                let (Value::Bits(a), Value::Bits(b)) = (self.value(left)?, self.value(right)?) else {
                    return None;
                };
                Some(Value::Bits(fold::binary(op, a, b, ty)?))
            }
            Expr::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), left, right } => {
                let (base, index) =
                    if pointee(unit, unit.type_of(left)).is_some() { (left, right) } else { (right, left) };
                let elem = pointee(unit, unit.type_of(base))?;
                let step = unit.size_of(elem).unwrap_or(1) as i64;
                let count = unit.constant(index)? as i64;
                let offset = if op == BinaryOp::Sub { -count * step } else { count * step };
                Some(self.value(base)?.shifted(offset, unit.target.pointer_bits))
            }
            Expr::Conditional { condition, then, otherwise } => {
                let chosen = if unit.constant(condition)? != 0 { then } else { otherwise };
                self.value(chosen)
            }
            _ => None,
        }
    }

    fn int_type(&self, node: NodeId) -> Option<IntType> {
        let ty = self.unit.type_of(node);
        match value_type(self.unit, ty)? {
            types::Type::Int(bits) => Some(IntType { bits, signed: self.unit.is_signed(ty) }),
            _ => None,
        }
    }

    fn lvalue(&mut self, node: NodeId) -> Option<Value> {
        let unit = self.unit;
        match unit.expr(node) {
            Expr::Transparent(inner) => self.lvalue(inner),
            Expr::DeclRef(decl) => Some(Value::Address(self.symbols.symbol(unit, decl), 0)),
            Expr::String { bytes, .. } => {
                let size = unit.size_of(unit.type_of(node)).unwrap_or(bytes.len() as u64);
                Some(Value::Address(self.symbols.string(unit, node, bytes, size), 0))
            }
            Expr::CompoundLiteral { init, .. } => {
                Some(Value::Address(self.symbols.literal(unit, node, init), 0))
            }
            Expr::Member { base, field, arrow } => {
                let place = if arrow { self.value(base)? } else { self.lvalue(base)? };
                Some(place.shifted((unit.field(field).bit_offset / 8) as i64, unit.target.pointer_bits))
            }
            Expr::Index { base, index } => {
                let step = unit.size_of(unit.type_of(node))? as i64;
                let count = unit.constant(index)? as i64;
                Some(self.value(base)?.shifted(count * step, unit.target.pointer_bits))
            }
            Expr::Unary { op: UnaryOp::Deref, operand } => self.value(operand),
            Expr::Cast { kind: CastKind::LValueBitCast | CastKind::NoOp, operand, .. } => {
                self.lvalue(operand)
            }
            _ => None,
        }
    }

    fn write(&mut self, at: u64, bytes: &[u8]) -> Option<()> {
        let width = u64::from(self.unit.target.pointer_bits / 8);
        let end = at + bytes.len() as u64;
        if let Some((&last, _)) = self.addresses.range(..end).next_back()
            && last + width > at
        {
            self.addresses.retain(|&a, _| a + width <= at || a >= end);
        }
        if bytes.iter().all(|&b| b == 0) && at as usize >= self.bytes.len() {
            return Some(());
        }
        for (i, &byte) in bytes.iter().enumerate() {
            *self.byte_mut(at + i as u64)? = byte;
        }
        Some(())
    }

    fn byte_mut(&mut self, at: u64) -> Option<&mut u8> {
        if at >= limits::STATIC_OBJECT_BYTES {
            return None;
        }
        let at = at as usize;
        if at >= self.bytes.len() {
            self.bytes.resize(at + 1, 0);
        }
        Some(&mut self.bytes[at])
    }

    /// Runs of nonzero bytes, and the addresses, by offset.
    fn finish(self) -> Init {
        let mut parts: Vec<(u64, InitPart)> = Vec::new();
        let mut start = None;
        for (i, &byte) in self.bytes.iter().chain(&[0]).enumerate() {
            match (byte != 0, start) {
                (true, None) => start = Some(i),
                (false, Some(first)) => {
                    parts.push((first as u64, InitPart::Bytes(self.bytes[first..i].to_vec())));
                    start = None;
                }
                _ => {}
            }
        }
        parts.extend(
            self.addresses.into_iter().map(|(at, (symbol, offset))| (at, InitPart::Address(symbol, offset))),
        );
        parts.sort_by_key(|(at, _)| *at);
        Init { parts }
    }
}

impl Value {
    fn shifted(self, by: i64, pointer_bits: u16) -> Value {
        match self {
            Value::Bits(bits) => {
                let mask = (1u128 << pointer_bits) - 1;
                Value::Bits(bits.wrapping_add(by as u128) & mask)
            }
            Value::Address(symbol, offset) => Value::Address(symbol, offset + by),
        }
    }
}

/// Size in bytes of a record whose flexible array is extended by the initialiser.
pub(super) fn size_with_flexible_array(unit: &Unit, ty: TypeId, init: NodeId) -> Option<u64> {
    let (Type::Record(record), Expr::InitList { inits, .. }) = (unit.ty(ty), unit.expr(init)) else {
        return None;
    };
    let field = unit.field(*unit.members(record).last()?);
    if !matches!(unit.ty(field.ty), Type::IncompleteArray(_)) || unit.is_union(record) {
        return None;
    }
    let elements = unit.size_of(unit.type_of(*inits.last()?))?;
    Some((field.bit_offset / 8 + elements).max(unit.size_of(ty)?))
}

/// clang's initialiser lists skip these.
pub(super) fn is_unnamed_bit_field(unit: &Unit, field: crate::clang::ast::DeclId) -> bool {
    let field = unit.field(field);
    field.bit_width.is_some() && field.name.is_empty()
}
