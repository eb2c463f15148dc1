//! Accessors of declarations.

use super::{Attr, DeclId, Field, NodeId, TypeId, Unit, some};
use crate::clang::raw::{AttrKind, DeclKind, TypeKind, decl_flag};
use gainsay_ir::source_map::Span;

impl Unit {
    pub fn name(&self, id: DeclId) -> &str {
        self.str(self.decl(id).name)
    }

    pub fn decl_type(&self, id: DeclId) -> TypeId {
        TypeId(self.decl(id).ty)
    }

    pub fn decl_span(&self, id: DeclId) -> Span {
        let decl = self.decl(id);
        Span { at: decl.at, begin: decl.begin, end: decl.end }
    }

    /// Body of a function, or initialiser of a variable.
    pub fn init(&self, id: DeclId) -> Option<NodeId> {
        some(NodeId(self.decl(id).init))
    }

    /// Parameters of a function, fields of a record, constants of an enum.
    pub fn members(&self, id: DeclId) -> &[DeclId] {
        let decl = self.decl(id);
        self.decls_of(decl.kids, decl.n_kids)
    }

    pub fn field(&self, id: DeclId) -> Field<'_> {
        let decl = self.decl(id);
        Field {
            name: self.str(decl.name),
            ty: TypeId(decl.ty),
            record: DeclId(decl.parent),
            bit_offset: decl.value as u64,
            bit_width: (decl.flags & decl_flag::BITFIELD != 0).then_some(decl.size_bits),
        }
    }

    /// The constants of an enum type.
    pub fn enumerators(&self, ty: TypeId) -> Option<&[DeclId]> {
        let raw = self.raw_type(ty);
        (raw.kind == TypeKind::Enum && raw.decl != 0).then(|| self.members(DeclId(raw.decl)))
    }

    /// Value of an enum constant.
    pub fn enum_value(&self, id: DeclId) -> i64 {
        self.decl(id).value
    }

    /// A parameter's type before arrays and functions decayed to pointers.
    pub fn type_before_decay(&self, param: DeclId) -> TypeId {
        TypeId(self.decl(param).extra)
    }

    pub fn attrs(&self, id: DeclId) -> impl Iterator<Item = Attr<'_>> + '_ {
        let decl = self.decl(id);
        let attrs = &self.tables.attrs()[decl.attrs as usize..(decl.attrs + decl.n_attrs) as usize];
        attrs.iter().map(|attr| Attr {
            kind: attr.kind,
            text: self.str(attr.text),
            args: self.tables.list(attr.args, attr.n_args),
        })
    }

    pub fn has_attr(&self, id: DeclId, kind: AttrKind) -> bool {
        self.attrs(id).any(|attr| attr.kind == kind)
    }

    pub fn is_function(&self, id: DeclId) -> bool {
        self.decl(id).kind == DeclKind::Function
    }

    pub fn is_variable(&self, id: DeclId) -> bool {
        matches!(self.decl(id).kind, DeclKind::Var | DeclKind::Param)
    }

    pub fn is_param(&self, id: DeclId) -> bool {
        self.decl(id).kind == DeclKind::Param
    }

    pub fn is_enum_constant(&self, id: DeclId) -> bool {
        self.decl(id).kind == DeclKind::EnumConstant
    }

    pub fn is_union(&self, record: DeclId) -> bool {
        self.decl(record).flags & decl_flag::UNION != 0
    }

    pub fn is_defined(&self, id: DeclId) -> bool {
        self.decl(id).flags & decl_flag::DEFINED != 0
    }

    /// Storage that outlives the function: file scope, static or extern in a block, thread-local.
    pub fn is_static_storage(&self, id: DeclId) -> bool {
        self.decl(id).flags & (decl_flag::GLOBAL | decl_flag::STATIC_LOCAL) != 0
    }

    pub fn is_static_local(&self, id: DeclId) -> bool {
        self.decl(id).flags & decl_flag::STATIC_LOCAL != 0
    }

    pub fn has_internal_linkage(&self, id: DeclId) -> bool {
        self.decl(id).flags & (decl_flag::INTERNAL | decl_flag::STATIC_LOCAL) != 0
    }

    pub fn is_noreturn(&self, id: DeclId) -> bool {
        self.decl(id).flags & decl_flag::NORETURN != 0
    }

    /// Declared in a system header.
    pub fn is_system(&self, id: DeclId) -> bool {
        self.decl(id).flags & decl_flag::SYSTEM != 0
    }

    /// A declaration with an error in it, or in a part of it; clang continued with a substitute.
    pub fn is_invalid(&self, id: DeclId) -> bool {
        self.decl(id).flags & decl_flag::INVALID != 0
    }

    /// Declared implicitly, by a call of an undeclared function.
    pub fn is_implicit(&self, id: DeclId) -> bool {
        self.decl(id).flags & decl_flag::IMPLICIT != 0
    }

    /// A function with an error in its body.
    pub fn has_errors_inside(&self, id: DeclId) -> bool {
        self.decl(id).flags & decl_flag::ERRORS_INSIDE != 0
    }

    /// A record, enum or function whose definition clang has seen.
    pub fn is_complete(&self, id: DeclId) -> bool {
        self.decl(id).flags & decl_flag::COMPLETE != 0
    }
}
