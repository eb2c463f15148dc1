//! The typed AST of one translation unit: a view over the exporter's tables that costs nothing to create.
//!
//! Ids are indices. [`Unit`] decodes an id into a small enum that lowering matches on. Types are canonical (typedefs
//! resolved), implicit casts are nodes, and constants are evaluated by clang.

mod decls;
mod library;
mod nodes;
mod types;

use super::raw::{self, NodeKind};
pub use super::raw::{AttrKind, BinaryOp, CastKind, UnaryOp};
use super::tables::Tables;
use gainsay_ir::source_map::SourceMap;
use gainsay_ir::types::{FloatKind, Target};
pub use library::Library;

/// A statement or expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct NodeId(pub(crate) u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct TypeId(pub(crate) u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct DeclId(pub(crate) u32);

/// One parsed translation unit.
pub struct Unit {
    pub(super) tables: Tables,
    pub target: Target,
    pub library: Library,
    /// False under -fno-strict-aliasing.
    pub strict_aliasing: bool,
    pub source_map: SourceMap,
    /// There are errors outside function bodies. clang may have replaced types silently, so results are less certain.
    pub degraded: bool,
}

/// A compiler message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub error: bool,
    pub at: gainsay_ir::source_map::Raw,
    pub message: String,
}

/// A comment addressed to gainsay: `/*@ ... */`, `//@ ...` or a suppression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    pub begin: gainsay_ir::source_map::Raw,
    pub end: gainsay_ir::source_map::Raw,
    pub text: String,
    /// The function whose declaration follows directly; a function may have several.
    pub function: Option<DeclId>,
    /// Names of that declaration's parameters.
    pub params: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
pub enum Stmt<'a> {
    Null,
    Compound(&'a [NodeId]),
    Decl(&'a [DeclId]),
    If {
        condition: NodeId,
        then: NodeId,
        otherwise: Option<NodeId>,
    },
    While {
        condition: NodeId,
        body: NodeId,
    },
    Do {
        body: NodeId,
        condition: NodeId,
    },
    For {
        init: Option<NodeId>,
        condition: Option<NodeId>,
        increment: Option<NodeId>,
        body: NodeId,
    },
    Switch {
        condition: NodeId,
        body: NodeId,
    },
    Case {
        low: NodeId,
        high: Option<NodeId>,
        body: Option<NodeId>,
    },
    Default(Option<NodeId>),
    Label {
        label: DeclId,
        body: Option<NodeId>,
    },
    Goto(DeclId),
    IndirectGoto(NodeId),
    Break,
    Continue,
    Return(Option<NodeId>),
    Asm(Asm<'a>),
    Attributed(NodeId),
    Expr,
    /// Not modelled; the string is clang's class name.
    Other(&'a str),
}

#[derive(Clone, Copy, Debug)]
pub struct Asm<'a> {
    pub text: &'a str,
    pub outputs: &'a [NodeId],
    pub inputs: &'a [NodeId],
    pub volatile: bool,
    pub clobbers_memory: bool,
    /// Labels that `asm goto` may jump to.
    pub labels: &'a [DeclId],
}

#[derive(Clone, Copy, Debug)]
pub enum Expr<'a> {
    DeclRef(DeclId),
    /// An integer or character literal: see [`Unit::constant`].
    Literal,
    /// See [`Unit::float_constant`].
    FloatLiteral,
    String {
        bytes: &'a [u8],
        char_bytes: u8,
    },
    /// An expression equivalent to its child: parentheses, `__extension__`, `_Generic`, ...
    Transparent(NodeId),
    Unary {
        op: UnaryOp,
        operand: NodeId,
    },
    Binary {
        op: BinaryOp,
        left: NodeId,
        right: NodeId,
    },
    CompoundAssign {
        op: BinaryOp,
        left: NodeId,
        right: NodeId,
        left_ty: TypeId,
        result_ty: TypeId,
    },
    Conditional {
        condition: NodeId,
        then: NodeId,
        otherwise: NodeId,
    },
    /// GNU `a ?: b`: `common` is evaluated once, [`Expr::Opaque`] stands for its value.
    BinaryConditional {
        common: NodeId,
        condition: NodeId,
        then: NodeId,
        otherwise: NodeId,
    },
    Opaque(NodeId),
    Cast {
        kind: CastKind,
        operand: NodeId,
        explicit: bool,
        union_field: Option<DeclId>,
    },
    Call {
        callee: NodeId,
        function: Option<DeclId>,
        args: &'a [NodeId],
    },
    Member {
        base: NodeId,
        field: DeclId,
        arrow: bool,
    },
    Index {
        base: NodeId,
        index: NodeId,
    },
    InitList {
        inits: &'a [NodeId],
        filler: Option<NodeId>,
        union_field: Option<DeclId>,
    },
    /// All bytes zero.
    ImplicitZero,
    /// Leaves the part unchanged (overriding designated initialisers).
    NoInit,
    DesignatedUpdate {
        base: NodeId,
        updater: NodeId,
    },
    CompoundLiteral {
        init: NodeId,
        file_scope: bool,
    },
    /// `sizeof` or `_Alignof`; constant ones have a value ([`Unit::constant`]).
    SizeOf {
        operand: Option<NodeId>,
        ty: TypeId,
        align: bool,
    },
    VaArg(NodeId),
    StmtExpr(NodeId),
    AddrLabel(DeclId),
    Atomic {
        name: &'a str,
        operands: &'a [NodeId],
    },
    Vector,
    /// An expression that clang could not parse, with its text; the text is empty within macros.
    Broken(&'a str),
    /// Not modelled; the string is clang's class name.
    Other(&'a str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type<'a> {
    Void,
    Bool,
    Int { bits: u16, signed: bool, is_char: bool },
    Float(FloatKind),
    Complex(TypeId),
    Pointer(TypeId),
    Array { elem: TypeId, count: u64 },
    IncompleteArray(TypeId),
    VariableArray { elem: TypeId, count: Option<NodeId> },
    Vector { elem: TypeId, count: u64 },
    Function { result: TypeId, params: &'a [TypeId], variadic: bool, has_prototype: bool },
    Record(DeclId),
    Enum { underlying: Option<TypeId> },
    Atomic(TypeId),
    Other,
}

/// A field of a record with its offset.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    pub name: &'a str,
    pub ty: TypeId,
    pub record: DeclId,
    pub bit_offset: u64,
    /// Width of a bit-field.
    pub bit_width: Option<u64>,
}

/// A set of declarations.
pub struct DeclSet(Vec<bool>);

impl DeclSet {
    pub fn contains(&self, id: DeclId) -> bool {
        self.0[id.0 as usize]
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Attr<'a> {
    pub kind: AttrKind,
    pub text: &'a str,
    pub args: &'a [u32],
}

impl Unit {
    /// Functions with a body, in order of discovery.
    pub fn functions(&self) -> impl Iterator<Item = DeclId> + '_ {
        self.tables.functions().iter().map(|&id| DeclId(id))
    }

    /// Variables with static storage that are defined or used in the unit.
    pub fn globals(&self) -> impl Iterator<Item = DeclId> + '_ {
        self.tables.globals().iter().map(|&id| DeclId(id))
    }

    /// Every statement and expression, in no particular order.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        (1..self.tables.nodes().len() as u32).map(NodeId)
    }

    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let of = |d: &raw::Diag| Diagnostic {
            error: d.is_error(),
            at: d.at,
            message: self.str(d.text).to_owned(),
        };
        self.tables.diags().iter().map(of).collect()
    }

    /// Are there compile errors in the unit?
    pub fn has_any_error(&self) -> bool {
        self.tables.diags().iter().any(|diag| diag.is_error())
    }

    pub fn comments(&self) -> Vec<Comment> {
        let of = |c: &raw::Comment| Comment {
            begin: c.begin,
            end: c.end,
            text: self.str(c.text).to_owned(),
            function: (c.decl != 0).then_some(DeclId(c.decl)),
            params: self
                .tables
                .list(c.params, c.n_params)
                .iter()
                .map(|&name| self.str(name).to_owned())
                .collect(),
        };
        self.tables.comments().iter().map(of).collect()
    }

    /// Every variable whose address is taken with `&` somewhere in the unit.
    pub fn address_taken(&self) -> DeclSet {
        let mut set = DeclSet(vec![false; self.tables.decls().len()]);
        for node in self.tables.nodes() {
            if node.kind == NodeKind::Unary && UnaryOp::ALL[node.op as usize] == UnaryOp::AddrOf {
                let mut operand = NodeId(self.tables.list(node.kids, node.n_kids)[0]);
                while let Expr::Transparent(inner) = self.expr(operand) {
                    operand = inner;
                }
                if let Expr::DeclRef(decl) = self.expr(operand) {
                    set.0[decl.0 as usize] = true;
                }
            }
        }
        set
    }

    /// Every declaration, in no particular order.
    pub(crate) fn decls(&self) -> impl Iterator<Item = DeclId> {
        (1..self.n_decls() as u32).map(DeclId)
    }

    pub(crate) fn n_decls(&self) -> usize {
        self.tables.decls().len()
    }

    fn node(&self, id: NodeId) -> &raw::Node {
        &self.tables.nodes()[id.0 as usize]
    }

    fn raw_type(&self, id: TypeId) -> &raw::Type {
        &self.tables.types()[id.0 as usize]
    }

    fn decl(&self, id: DeclId) -> &raw::Decl {
        &self.tables.decls()[id.0 as usize]
    }

    fn str(&self, id: u32) -> &str {
        self.tables.str(id)
    }

    fn kids(&self, id: NodeId) -> &[NodeId] {
        let node = self.node(id);
        // SAFETY: NodeId is a transparent u32.
        unsafe { cast_ids(self.tables.list(node.kids, node.n_kids)) }
    }

    fn decls_of(&self, first: u32, n: u32) -> &[DeclId] {
        // SAFETY: DeclId is a transparent u32.
        unsafe { cast_ids(self.tables.list(first, n)) }
    }

    fn types_of(&self, first: u32, n: u32) -> &[TypeId] {
        // SAFETY: TypeId is a transparent u32.
        unsafe { cast_ids(self.tables.list(first, n)) }
    }
}

fn some(id: NodeId) -> Option<NodeId> {
    (id.0 != 0).then_some(id)
}

/// # Safety
/// `T` must be a `repr(transparent)` wrapper of `u32`.
unsafe fn cast_ids<T>(ids: &[u32]) -> &[T] {
    // SAFETY: by the function's contract, size, alignment and validity are equal.
    unsafe { std::slice::from_raw_parts(ids.as_ptr().cast(), ids.len()) }
}
