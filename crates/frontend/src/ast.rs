//! The typed AST of one translation unit: a view over the exporter's tables that costs nothing to make.
//!
//! Ids are indices; [`Unit`] answers what an id means with small enums that the lowering matches on.
//! Types are canonical (typedefs resolved), implicit casts are nodes, constants are evaluated by clang.

mod library;

use crate::clang::Tables;
use crate::raw::{self, DeclKind, NodeKind, TypeKind, decl_flag, node_flag, type_flag};
pub use crate::raw::{AttrKind, BinaryOp, CastKind, UnaryOp};
use gainsay_ir::source_map::{SourceMap, Span};
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
    pub(crate) tables: Tables,
    pub target: Target,
    pub library: Library,
    /// False under -fno-strict-aliasing.
    pub strict_aliasing: bool,
    pub source_map: SourceMap,
    /// Errors outside any function body: types may have been replaced silently, so nothing can be trusted fully.
    pub degraded: bool,
}

/// A compiler message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub error: bool,
    pub at: gainsay_ir::source_map::Raw,
    pub message: String,
}

/// A comment that speaks to us: `/*@ ... */`, `//@ ...` or a suppression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    pub begin: gainsay_ir::source_map::Raw,
    pub end: gainsay_ir::source_map::Raw,
    pub text: String,
    /// The function whose declaration, perhaps one of several, it stands directly before.
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
    /// No meaning here; the string is clang's class name.
    Other(&'a str),
}

#[derive(Clone, Copy, Debug)]
pub struct Asm<'a> {
    pub text: &'a str,
    pub outputs: &'a [NodeId],
    pub inputs: &'a [NodeId],
    pub volatile: bool,
    pub clobbers_memory: bool,
    /// Where `asm goto` may jump to, besides going on.
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
    /// An expression that means the same as its child: parentheses, `__extension__`, `_Generic`, ...
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
    /// Leave the part alone (designated initialisers that override).
    NoInit,
    DesignatedUpdate {
        base: NodeId,
        updater: NodeId,
    },
    CompoundLiteral {
        init: NodeId,
        file_scope: bool,
    },
    /// `sizeof` of a variably modified type; a constant one is a constant.
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
    /// What clang makes no sense of, as it is written; empty within macros.
    Broken(&'a str),
    /// No meaning here; the string is clang's class name.
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

/// A field of a record with its place in it.
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

    /// Variables of file scope that are defined here or referred to.
    pub fn globals(&self) -> impl Iterator<Item = DeclId> + '_ {
        self.tables.globals().iter().map(|&id| DeclId(id))
    }

    /// Every statement and expression, in no particular order.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        (1..self.tables.nodes().len() as u32).map(NodeId)
    }

    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let of = |d: &raw::Diag| Diagnostic {
            error: d.level >= 3,
            at: d.at,
            message: self.str(d.text).to_owned(),
        };
        self.tables.diags().iter().map(of).collect()
    }

    /// Does the unit not compile completely?
    pub fn has_any_error(&self) -> bool {
        self.tables.diags().iter().any(|diag| diag.level >= 3)
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

    pub fn stmt(&self, id: NodeId) -> Stmt<'_> {
        let node = self.node(id);
        let kids = self.kids(id);
        match node.kind {
            NodeKind::Null => Stmt::Null,
            NodeKind::Compound => Stmt::Compound(kids),
            NodeKind::DeclStmt => Stmt::Decl(self.decls_of(node.kids, node.n_kids)),
            NodeKind::If => Stmt::If { condition: kids[0], then: kids[1], otherwise: some(kids[2]) },
            NodeKind::While => Stmt::While { condition: kids[0], body: kids[1] },
            NodeKind::Do => Stmt::Do { body: kids[0], condition: kids[1] },
            NodeKind::For => Stmt::For {
                init: some(kids[0]),
                condition: some(kids[1]),
                increment: some(kids[2]),
                body: kids[3],
            },
            NodeKind::Switch => Stmt::Switch { condition: kids[0], body: kids[1] },
            NodeKind::Case => Stmt::Case { low: kids[0], high: some(kids[1]), body: some(kids[2]) },
            NodeKind::Default => Stmt::Default(some(kids[0])),
            NodeKind::Label => Stmt::Label { label: DeclId(node.refer), body: some(kids[0]) },
            NodeKind::Goto => Stmt::Goto(DeclId(node.refer)),
            NodeKind::IndirectGoto => Stmt::IndirectGoto(kids[0]),
            NodeKind::Break => Stmt::Break,
            NodeKind::Continue => Stmt::Continue,
            NodeKind::Return => Stmt::Return(some(kids[0])),
            NodeKind::Asm => {
                let outputs = (node.value >> 32) as usize;
                let inputs = (node.value & 0xffff_ffff) as usize;
                Stmt::Asm(Asm {
                    text: self.str(node.refer),
                    outputs: &kids[..outputs],
                    inputs: &kids[outputs..outputs + inputs],
                    volatile: node.flags & node_flag::ASM_VOLATILE != 0,
                    clobbers_memory: node.flags & node_flag::ASM_MEMORY != 0,
                    labels: self.decls_of(node.kids + node.n_kids - u32::from(node.op), u32::from(node.op)),
                })
            }
            NodeKind::Attributed => Stmt::Attributed(kids[0]),
            NodeKind::Other if node.ty == 0 => Stmt::Other(self.str(node.refer)),
            _ => Stmt::Expr,
        }
    }

    pub fn expr(&self, id: NodeId) -> Expr<'_> {
        let node = self.node(id);
        let kids = self.kids(id);
        match node.kind {
            NodeKind::DeclRef => Expr::DeclRef(DeclId(node.refer)),
            NodeKind::IntLiteral | NodeKind::CharLiteral | NodeKind::OffsetOf | NodeKind::TypeTrait => {
                Expr::Literal
            }
            NodeKind::FloatLiteral => Expr::FloatLiteral,
            NodeKind::StringLiteral => {
                Expr::String { bytes: self.tables.bytes_of(node.refer), char_bytes: node.op as u8 }
            }
            NodeKind::Paren
            | NodeKind::Predefined
            | NodeKind::Generic
            | NodeKind::Choose
            | NodeKind::Constant => match kids.first() {
                Some(&kid) if kid.0 != 0 => Expr::Transparent(kid),
                _ => Expr::Other("empty"),
            },
            NodeKind::Unary => match UnaryOp::ALL[node.op as usize] {
                UnaryOp::Extension => Expr::Transparent(kids[0]),
                op => Expr::Unary { op, operand: kids[0] },
            },
            NodeKind::Binary => {
                Expr::Binary { op: BinaryOp::ALL[node.op as usize], left: kids[0], right: kids[1] }
            }
            NodeKind::CompoundAssign => Expr::CompoundAssign {
                op: BinaryOp::ALL[node.op as usize],
                left: kids[0],
                right: kids[1],
                left_ty: TypeId(node.refer),
                result_ty: TypeId(node.value as u32),
            },
            NodeKind::Conditional => {
                Expr::Conditional { condition: kids[0], then: kids[1], otherwise: kids[2] }
            }
            NodeKind::BinaryConditional => Expr::BinaryConditional {
                common: kids[0],
                condition: kids[1],
                then: kids[2],
                otherwise: kids[3],
            },
            NodeKind::Opaque => Expr::Opaque(NodeId(node.refer)),
            NodeKind::Cast => {
                let kind = CastKind::ALL[node.op as usize];
                let union_field = (kind == CastKind::ToUnion).then_some(DeclId(node.refer));
                let explicit = node.flags & node_flag::EXPLICIT != 0;
                Expr::Cast { kind, operand: kids[0], explicit, union_field }
            }
            NodeKind::Call => Expr::Call {
                callee: kids[0],
                function: (node.refer != 0).then_some(DeclId(node.refer)),
                args: &kids[1..],
            },
            NodeKind::Member => Expr::Member {
                base: kids[0],
                field: DeclId(node.refer),
                arrow: node.flags & node_flag::ARROW != 0,
            },
            NodeKind::Index => Expr::Index { base: kids[0], index: kids[1] },
            NodeKind::InitList => {
                let union_field = (node.refer != 0).then_some(DeclId(node.refer));
                match kids.split_last() {
                    Some((&filler, inits)) if node.flags & node_flag::FILLER != 0 => {
                        Expr::InitList { inits, filler: Some(filler), union_field }
                    }
                    _ => Expr::InitList { inits: kids, filler: None, union_field },
                }
            }
            NodeKind::ImplicitZero => Expr::ImplicitZero,
            NodeKind::NoInit => Expr::NoInit,
            NodeKind::DesignatedUpdate => Expr::DesignatedUpdate { base: kids[0], updater: kids[1] },
            NodeKind::CompoundLiteral => {
                Expr::CompoundLiteral { init: kids[0], file_scope: node.flags & node_flag::FILE_SCOPE != 0 }
            }
            NodeKind::SizeOf => {
                Expr::SizeOf { operand: some(kids[0]), ty: TypeId(node.refer), align: node.op == 1 }
            }
            NodeKind::VaArg => Expr::VaArg(kids[0]),
            NodeKind::StmtExpr => Expr::StmtExpr(kids[0]),
            NodeKind::AddrLabel => Expr::AddrLabel(DeclId(node.refer)),
            NodeKind::Atomic => Expr::Atomic { name: self.str(node.refer), operands: kids },
            NodeKind::Vector => Expr::Vector,
            NodeKind::Other => Expr::Other(self.str(node.refer)),
            NodeKind::Recovery => Expr::Broken(self.str(node.refer)),
            NodeKind::SourceLocation => Expr::Other("__builtin_LINE"),
            NodeKind::ImaginaryLiteral => Expr::Other("ImaginaryLiteral"),
            _ => Expr::Other("statement"),
        }
    }

    pub fn span(&self, id: NodeId) -> Span {
        let node = self.node(id);
        Span { at: node.at, begin: node.begin, end: node.end }
    }

    pub fn type_of(&self, id: NodeId) -> TypeId {
        TypeId(self.node(id).ty)
    }

    pub fn is_lvalue(&self, id: NodeId) -> bool {
        self.node(id).flags & node_flag::LVALUE != 0
    }

    /// Does the expression rest on something that clang made up after an error?
    pub fn has_errors(&self, id: NodeId) -> bool {
        self.node(id).flags & node_flag::ERRORS != 0
    }

    /// Value of an integer constant expression, as bits that extend it by its own sign.
    pub fn constant(&self, id: NodeId) -> Option<u128> {
        let node = self.node(id);
        if node.flags & node_flag::INT == 0 {
            return None;
        }
        if node.flags & node_flag::WIDE != 0 {
            return u128::from_str_radix(self.str(node.value as u32), 16).ok();
        }
        Some(if self.is_signed(TypeId(node.ty)) {
            i128::from(node.value) as u128
        } else {
            u128::from(node.value as u64)
        })
    }

    /// Value of a float constant expression of at most double precision.
    pub fn float_constant(&self, id: NodeId) -> Option<f64> {
        let node = self.node(id);
        (node.flags & node_flag::FLOAT != 0).then(|| f64::from_bits(node.value as u64))
    }

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

    /// Is the type, or what an enum is made of, a signed integer?
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

    /// A declaration with an error in it, or in what it is made of: clang went on with something made up.
    pub fn is_invalid(&self, id: DeclId) -> bool {
        self.decl(id).flags & decl_flag::INVALID != 0
    }

    /// Declared by nobody.
    pub fn is_implicit(&self, id: DeclId) -> bool {
        self.decl(id).flags & decl_flag::IMPLICIT != 0
    }

    /// A function with an error in its body.
    pub fn has_errors_inside(&self, id: DeclId) -> bool {
        self.decl(id).flags & decl_flag::ERRORS_INSIDE != 0
    }

    /// A record, enum or function that clang knows completely.
    pub fn is_complete(&self, id: DeclId) -> bool {
        self.decl(id).flags & decl_flag::COMPLETE != 0
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

    /// All children of a node that are nodes.
    pub(crate) fn parts(&self, id: NodeId) -> &[NodeId] {
        match self.node(id).kind {
            NodeKind::DeclStmt | NodeKind::Asm => &[],
            _ => self.kids(id),
        }
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
    // SAFETY: same size, alignment and validity by the caller's promise.
    unsafe { std::slice::from_raw_parts(ids.as_ptr().cast(), ids.len()) }
}
