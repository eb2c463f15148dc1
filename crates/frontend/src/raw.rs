//! The exporter's flat tables as Rust sees them; the mirror of cpp/abi.h. Nothing outside this crate sees them.

pub use kinds::{AttrKind, BinaryOp, CastKind, UnaryOp};
pub(crate) use kinds::{DeclKind, NodeKind, TypeKind};

/// Written by build.rs. Most values are made in C++, where rustc does not see it.
#[allow(dead_code, unreachable_pub)]
mod kinds {
    include!(concat!(env!("OUT_DIR"), "/kinds.rs"));
}

macro_rules! plain {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $ty:ty),* $(,)? })*) => {
        $($(#[$doc])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name { $(pub(crate) $field: $ty),* })*
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

/// Node flags, as NF_* in abi.h.
pub(crate) mod node_flag {
    pub(crate) const LVALUE: u32 = 1 << 0;
    pub(crate) const INT: u32 = 1 << 1;
    pub(crate) const WIDE: u32 = 1 << 2;
    pub(crate) const FLOAT: u32 = 1 << 3;
    pub(crate) const EXPLICIT: u32 = 1 << 4;
    pub(crate) const ARROW: u32 = 1 << 5;
    pub(crate) const BITFIELD: u32 = 1 << 6;
    pub(crate) const ERRORS: u32 = 1 << 7;
    pub(crate) const FILLER: u32 = 1 << 8;
    pub(crate) const FILE_SCOPE: u32 = 1 << 9;
    pub(crate) const ALL_ENUM_CASES: u32 = 1 << 10;
    pub(crate) const BUILTIN: u32 = 1 << 11;
    pub(crate) const ASM_VOLATILE: u32 = 1 << 12;
    pub(crate) const ASM_GOTO: u32 = 1 << 13;
    pub(crate) const ASM_MEMORY: u32 = 1 << 14;
}

/// Type flags, as TF_* in abi.h.
pub(crate) mod type_flag {
    pub(crate) const SIGNED: u32 = 1;
    pub(crate) const INCOMPLETE: u32 = 2;
    pub(crate) const VARIADIC: u32 = 4;
    pub(crate) const NORETURN: u32 = 8;
    pub(crate) const CHAR: u32 = 16;
    pub(crate) const MAY_ALIAS: u32 = 32;
    pub(crate) const CONST: u32 = 64;
    pub(crate) const VOLATILE: u32 = 128;
}

/// Declaration flags, as DF_* in abi.h.
pub(crate) mod decl_flag {
    pub(crate) const DEFINED: u32 = 1 << 0;
    pub(crate) const STATIC: u32 = 1 << 1;
    pub(crate) const EXTERN: u32 = 1 << 2;
    pub(crate) const INLINE: u32 = 1 << 3;
    pub(crate) const NORETURN: u32 = 1 << 4;
    pub(crate) const SYSTEM: u32 = 1 << 5;
    pub(crate) const INVALID: u32 = 1 << 6;
    pub(crate) const IMPLICIT: u32 = 1 << 7;
    pub(crate) const VARIADIC: u32 = 1 << 8;
    pub(crate) const BITFIELD: u32 = 1 << 9;
    pub(crate) const GLOBAL: u32 = 1 << 10;
    pub(crate) const STATIC_LOCAL: u32 = 1 << 11;
    pub(crate) const TLS: u32 = 1 << 12;
    pub(crate) const INTERNAL: u32 = 1 << 13;
    pub(crate) const COMPLETE: u32 = 1 << 15;
    pub(crate) const FLEXIBLE: u32 = 1 << 16;
    pub(crate) const ANONYMOUS: u32 = 1 << 17;
    pub(crate) const UNION: u32 = 1 << 18;
    pub(crate) const BUILTIN: u32 = 1 << 19;
    pub(crate) const ERRORS_INSIDE: u32 = 1 << 20;
}

/// File flags, as FF_* in abi.h.
pub(crate) mod file_flag {
    pub(crate) const SYSTEM: u32 = 1;
    pub(crate) const MAIN: u32 = 2;
    pub(crate) const SCRATCH: u32 = 4;
}
