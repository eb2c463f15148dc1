//! Accessors of types. Types are canonical: typedefs are resolved.

use super::{DeclId, NodeId, Type, TypeId, Unit, some};
use crate::clang::raw::{TypeKind, type_flag};
use gainsay_ir::types::FloatKind;

impl Unit {
    pub fn ty(&self, id: TypeId) -> Type<'_> {
        let ty = self.raw_type(id);
        let elem = TypeId(ty.elem);
        match ty.kind {
            TypeKind::Void => Type::Void,
            TypeKind::Bool => Type::Bool,
            TypeKind::Int => Type::Int {
                bits: if ty.count != 0 { ty.count as u16 } else { ty.size_bits as u16 },
                signed: ty.flags & type_flag::SIGNED != 0,
                is_char: ty.flags & type_flag::CHAR != 0,
            },
            TypeKind::Float => match ty.count {
                16 => Type::Float(FloatKind::F16),
                32 => Type::Float(FloatKind::F32),
                64 => Type::Float(FloatKind::F64),
                80 => Type::Float(FloatKind::F80),
                128 => Type::Float(FloatKind::F128),
                _ => Type::Other,
            },
            TypeKind::Complex => Type::Complex(elem),
            TypeKind::Pointer => Type::Pointer(elem),
            TypeKind::Array => Type::Array { elem, count: ty.count },
            TypeKind::IncompleteArray => Type::IncompleteArray(elem),
            TypeKind::VariableArray => Type::VariableArray { elem, count: some(NodeId(ty.count as u32)) },
            TypeKind::Vector => Type::Vector { elem, count: ty.count },
            TypeKind::Function | TypeKind::FunctionNoProto => Type::Function {
                result: elem,
                params: self.types_of(ty.args, ty.n_args),
                variadic: ty.flags & type_flag::VARIADIC != 0,
                has_prototype: ty.kind == TypeKind::Function,
            },
            TypeKind::Struct | TypeKind::Union => Type::Record(DeclId(ty.decl)),
            TypeKind::Enum => Type::Enum { underlying: (ty.elem != 0).then_some(elem) },
            TypeKind::Atomic => Type::Atomic(elem),
            TypeKind::None | TypeKind::Other => Type::Other,
        }
    }

    /// Size in bytes of a complete type of constant size.
    pub fn size_of(&self, id: TypeId) -> Option<u64> {
        let ty = self.raw_type(id);
        (ty.flags & type_flag::INCOMPLETE == 0).then_some(ty.size_bits / 8)
    }

    pub fn align_of(&self, id: TypeId) -> u64 {
        u64::from(self.raw_type(id).align_bits / 8).max(1)
    }

    pub fn is_volatile(&self, id: TypeId) -> bool {
        self.raw_type(id).flags & type_flag::VOLATILE != 0
    }

    pub fn is_const(&self, id: TypeId) -> bool {
        self.raw_type(id).flags & type_flag::CONST != 0
    }

    pub fn may_alias(&self, id: TypeId) -> bool {
        self.raw_type(id).flags & type_flag::MAY_ALIAS != 0
    }

    /// Is the function type declared noreturn?
    pub fn is_noreturn_type(&self, id: TypeId) -> bool {
        self.raw_type(id).flags & type_flag::NORETURN != 0
    }

    /// Is the type a signed integer, or an enum or atomic type based on one?
    pub fn is_signed(&self, id: TypeId) -> bool {
        match self.ty(id) {
            Type::Int { signed, .. } => signed,
            Type::Enum { underlying: Some(ty) } | Type::Atomic(ty) => self.is_signed(ty),
            _ => false,
        }
    }

    /// The type as clang spells it.
    pub fn spelling(&self, id: TypeId) -> &str {
        self.str(self.raw_type(id).spelling)
    }
}
