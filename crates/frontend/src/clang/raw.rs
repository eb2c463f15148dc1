//! The exporter's flat tables: the mirror of cpp/abi.h.

pub use kinds::{AttrKind, BinaryOp, CastKind, UnaryOp};
pub(super) use kinds::{DeclKind, NodeKind, TypeKind};

/// Written by build.rs. Most values are constructed in C++, which rustc does not see.
#[allow(dead_code, unreachable_pub)]
mod kinds {
    include!(concat!(env!("OUT_DIR"), "/kinds.rs"));
}

macro_rules! plain {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $ty:ty),* $(,)? })*) => {
        $($(#[$doc])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug)]
        pub(super) struct $name { $(pub(super) $field: $ty),* })*
    };
}

plain! {
    Node { kind: NodeKind, op: u16, flags: u32, ty: u32, at: u32, begin: u32, end: u32, kids: u32, n_kids: u32, refer: u32, pad: u32, value: i64 }
    Type { kind: TypeKind, pad0: u16, flags: u32, elem: u32, decl: u32, args: u32, n_args: u32, spelling: u32, align_bits: u32, size_bits: u64, count: u64 }
    Decl { kind: DeclKind, pad0: u16, flags: u32, name: u32, ty: u32, at: u32, begin: u32, end: u32, parent: u32, init: u32, kids: u32, n_kids: u32, attrs: u32, n_attrs: u32, extra: u32, value: i64, size_bits: u64, align_bits: u32, pad1: u32 }
    Attr { kind: AttrKind, pad0: u16, flags: u32, at: u32, text: u32, args: u32, n_args: u32 }
    Entry { start: u32, file: u32, spelling: u32, begin: u32, end: u32, argument: u32 }
    File { name: u32, flags: u32, included_at: u32, lines: u32, n_lines: u32 }
    Macro { at: u32, name: u32, definition: u32 }
    LineDirective { file: u32, offset: u32, line: u32, name: u32, system: u32 }
    Comment { begin: u32, end: u32, text: u32, decl: u32, params: u32, n_params: u32 }
    Diag { level: u32, at: u32, text: u32 }
    Str { offset: u32, len: u32 }
    Probe { path: u32, kind: u32, hash: [u8; 32] }
}

impl Diag {
    pub(super) fn is_error(&self) -> bool {
        self.level >= 3
    }
}

macro_rules! flags {
    ($($(#[$doc:meta])* $module:ident { $($name:ident = $bit:expr),* $(,)? })*) => {
        $($(#[$doc])*
        pub(super) mod $module {
            // not a limit: a bit of a flag word
            $(pub(in crate::clang) const $name: u32 = 1 << $bit;)*
        })*
    };
}

flags! {
    /// Node flags: NF_* in abi.h.
    node_flag {
        LVALUE = 0, INT = 1, WIDE = 2, FLOAT = 3, EXPLICIT = 4, ARROW = 5, BITFIELD = 6, ERRORS = 7, FILLER = 8,
        FILE_SCOPE = 9, ALL_ENUM_CASES = 10, BUILTIN = 11, ASM_VOLATILE = 12, ASM_GOTO = 13, ASM_MEMORY = 14,
    }

    /// Type flags: TF_* in abi.h.
    type_flag {
        SIGNED = 0, INCOMPLETE = 1, VARIADIC = 2, NORETURN = 3, CHAR = 4, MAY_ALIAS = 5, CONST = 6, VOLATILE = 7,
    }

    /// Declaration flags: DF_* in abi.h.
    decl_flag {
        DEFINED = 0, STATIC = 1, EXTERN = 2, INLINE = 3, NORETURN = 4, SYSTEM = 5, INVALID = 6, IMPLICIT = 7,
        VARIADIC = 8, BITFIELD = 9, GLOBAL = 10, STATIC_LOCAL = 11, TLS = 12, INTERNAL = 13, COMPLETE = 15,
        FLEXIBLE = 16, ANONYMOUS = 17, UNION = 18, BUILTIN = 19, ERRORS_INSIDE = 20,
    }

    /// File flags: FF_* in abi.h.
    file_flag { SYSTEM = 0, MAIN = 1, SCRATCH = 2 }
}
