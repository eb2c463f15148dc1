//! Maps C types to types of values.

use crate::clang::ast::{self, Type, TypeId, Unit};
use gainsay_ir::types;

/// The widest integer the IR holds.
// not a limit: width of the IR's constants
pub(super) const MAX_BITS: u16 = 128;

/// Type of a value of the C type; `None` for types that exist in memory only: records, arrays, complex numbers,
/// vectors, void.
pub(super) fn value_type(unit: &Unit, ty: TypeId) -> Option<types::Type> {
    match unit.ty(ty) {
        Type::Bool => Some(types::Type::Int(8)),
        Type::Int { bits, .. } if bits <= MAX_BITS => Some(types::Type::Int(bits)),
        Type::Float(kind) => Some(types::Type::Float(kind)),
        Type::Pointer(_) => Some(types::Type::Ptr),
        Type::Enum { underlying: Some(inner) } | Type::Atomic(inner) => value_type(unit, inner),
        Type::Enum { underlying: None } => Some(types::Type::Int(32)),
        _ => None,
    }
}

pub(super) fn is_bool(unit: &Unit, ty: TypeId) -> bool {
    match unit.ty(ty) {
        Type::Bool => true,
        Type::Enum { underlying: Some(inner) } | Type::Atomic(inner) => is_bool(unit, inner),
        _ => false,
    }
}

pub(super) fn is_void(unit: &Unit, ty: TypeId) -> bool {
    matches!(unit.ty(ty), Type::Void)
}

/// The type that a pointer points to.
pub(super) fn pointee(unit: &Unit, ty: TypeId) -> Option<TypeId> {
    match unit.ty(ty) {
        Type::Pointer(elem) => Some(elem),
        Type::Atomic(inner) => pointee(unit, inner),
        _ => None,
    }
}

/// May accesses through this type alias objects of any type?
pub(super) fn touches_anything(unit: &Unit, ty: TypeId) -> bool {
    if unit.may_alias(ty) {
        return true;
    }
    match unit.ty(ty) {
        Type::Int { is_char, .. } => is_char,
        Type::Enum { underlying: Some(inner) } | Type::Atomic(inner) => touches_anything(unit, inner),
        _ => false,
    }
}

/// The function type behind a function or a pointer to one.
pub(super) fn function_type(unit: &Unit, ty: TypeId) -> Option<TypeId> {
    match unit.ty(ty) {
        Type::Function { .. } => Some(ty),
        Type::Pointer(elem) => function_type(unit, elem),
        _ => None,
    }
}

/// Does the type's size depend on values at run time?
pub(super) fn is_variable_array(unit: &Unit, ty: TypeId) -> bool {
    match unit.ty(ty) {
        Type::VariableArray { .. } => true,
        Type::Array { elem, .. } => is_variable_array(unit, elem),
        _ => false,
    }
}

/// Name of a record for alias classes: its tag, or a name derived from its first fields.
pub(super) fn record_name(unit: &Unit, record: ast::DeclId) -> String {
    let name = unit.name(record);
    if !name.is_empty() {
        return name.to_owned();
    }
    // The same in every unit that includes the header.
    let fields: Vec<&str> =
        unit.members(record).iter().take(4).map(|&field| unit.field(field).name).collect();
    format!("anon {} {}", unit.members(record).len(), fields.join(" "))
}
