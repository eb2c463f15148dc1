//! Accessors of statements and expressions.

use super::{Asm, DeclId, Expr, NodeId, Stmt, TypeId, Unit, some};
use crate::clang::raw::{BinaryOp, CastKind, NodeKind, UnaryOp, node_flag};
use gainsay_ir::source_map::Span;

impl Unit {
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

    /// Does the expression depend on clang's error recovery?
    pub fn has_errors(&self, id: NodeId) -> bool {
        self.node(id).flags & node_flag::ERRORS != 0
    }

    /// Value of an integer constant expression, extended by its own signedness.
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

    /// All children of a node that are nodes.
    pub(crate) fn parts(&self, id: NodeId) -> &[NodeId] {
        match self.node(id).kind {
            NodeKind::DeclStmt | NodeKind::Asm => &[],
            _ => self.kids(id),
        }
    }
}
