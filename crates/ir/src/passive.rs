//! The passive stage: acyclic, every variable has one definition, and what remains of commands are
//! definitions, assumes and asserts (universal reachability, section 3).
//!
//! A variable of gc becomes one [`Var`] per value it can hold; blocks where different ones meet choose by a
//! [`Phi`]. Memory is one chain of versions: an [`Effect`] makes the next version from the one before and
//! keeps what it did, so that a reader can walk back from a load over writes that cannot touch its place.

mod print;
mod verify;

pub use print::print;
pub use verify::verify;

use crate::check::Check;
use crate::gc::{
    Access, BinaryOp, Branch, CallWrite, CastOp, Class, Loc, LocalObject, Object, Symbol, UnaryOp,
    VarData as SourceVar,
};
use crate::graph::Graph;
use crate::types::Type;
use cranelift_entity::{PrimaryMap, entity_impl};
use smallvec::SmallVec;

/// One value of a variable of the source, or one version of memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(u32);
entity_impl!(Var, "v");

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Expr(u32);
entity_impl!(Expr, "e");

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Block(u32);
entity_impl!(Block, "b");

#[derive(Clone, Debug)]
pub struct Function {
    pub symbol: Symbol,
    /// The parameters' values at the entry.
    pub params: Vec<Var>,
    pub result: Option<Type>,
    pub vars: PrimaryMap<Var, VarData>,
    /// The variables of gc, which `VarOf` names.
    pub sources: PrimaryMap<crate::gc::Var, SourceVar>,
    pub objects: PrimaryMap<Object, LocalObject>,
    /// Operands come before their users.
    pub exprs: PrimaryMap<Expr, ExprData>,
    /// In topological order; the first is the entry.
    pub blocks: PrimaryMap<Block, BlockData>,
}

impl Function {
    pub fn successors(&self) -> Graph<Block> {
        self.blocks.values().map(|data| data.next.targets().iter().copied().collect()).collect()
    }

    /// What the variable is a version of, if it is one of the source or a temporary.
    pub fn source(&self, var: Var) -> Option<&SourceVar> {
        match self.vars[var].of {
            VarOf::Source(source) => self.sources.get(source),
            VarOf::Initialised(_) | VarOf::Flag(_) | VarOf::Memory => None,
        }
    }

    /// What the variable was defined as.
    pub fn value_of(&self, var: Var) -> Option<Expr> {
        let Definition::Command(block, index) = self.vars[var].definition else { return None };
        match self.blocks[block].cmds[index as usize].kind {
            CmdKind::Define(_, value) => Some(value),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VarData {
    pub of: VarOf,
    pub sort: Sort,
    /// Counts the versions of one `of`.
    pub version: u32,
    pub definition: Definition,
}

/// What a variable is a version of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VarOf {
    Source(crate::gc::Var),
    /// Has the source variable been assigned since it was last entered?
    Initialised(crate::gc::Var),
    /// A Boolean that always holds, or never does: the flag of a variable just assigned or entered.
    Flag(bool),
    Memory,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    Value(Type),
    Memory,
}

/// Where a variable gets its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Definition {
    /// Whatever it is when the function starts.
    Entry,
    /// Any value, made before the command of that number: by a havoc, the start of a lifetime, a call, a
    /// volatile load.
    Fresh(Block, u32),
    /// The command of that number in the block.
    Command(Block, u32),
    Phi(Block),
}

#[derive(Clone, Debug)]
pub struct BlockData {
    /// Set where this block is one edge of a branch; its first command is then the edge's `assume`.
    pub branch: Option<Branch>,
    /// The block of gc that this one was.
    pub source: crate::gc::Block,
    pub phis: Vec<Phi>,
    pub cmds: Vec<Cmd>,
    pub next: Next,
}

/// The value of `var` is that of the source for the block that the run came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phi {
    pub var: Var,
    /// One per predecessor.
    pub sources: Vec<(Block, Var)>,
}

#[derive(Clone, Debug)]
pub struct Cmd {
    pub kind: CmdKind,
    pub loc: Loc,
}

impl Cmd {
    /// What the run goes on under.
    pub fn condition(&self) -> Option<Expr> {
        match self.kind {
            CmdKind::Assume(holds) | CmdKind::Assert(_, holds) => Some(holds),
            CmdKind::Define(..) | CmdKind::Update { .. } => None,
        }
    }
}

#[derive(Clone, Debug)]
pub enum CmdKind {
    /// Assume that the new variable equals the value.
    Define(Var, Expr),
    /// The memory `after` is the memory `before` with the effect.
    Update {
        after: Var,
        before: Var,
        effect: Effect,
    },
    Assume(Expr),
    Assert(Check, Expr),
}

/// A change of memory; what it does not touch stays as it was.
#[derive(Clone, Debug)]
pub enum Effect {
    Store {
        access: Access,
        addr: Expr,
        value: Expr,
    },
    /// Moves `len` bytes; source and destination may overlap.
    Copy {
        dst: Expr,
        src: Expr,
        len: Expr,
    },
    Fill {
        dst: Expr,
        byte: Expr,
        len: Expr,
    },
    /// The object is live from here, with any contents.
    Enter(Object),
    /// `pointer`, a fresh value, is the address of `size` new bytes.
    Alloca {
        pointer: Var,
        size: Expr,
    },
    /// `pointer`, a fresh value, is NULL or the address of `size` new bytes of the heap.
    Allocate {
        pointer: Var,
        size: Expr,
    },
    /// The block of the heap that starts at `pointer` is gone; NULL does nothing.
    Free {
        pointer: Expr,
    },
    /// Any change that a call can make to memory that it can know; `result` is a fresh value.
    Call(Box<Call>),
    /// Any contents for all memory that something outside the function could know.
    ClobberEscaped,
    ClobberRange {
        addr: Expr,
        len: Expr,
    },
    /// Any contents for every place of one of these classes.
    ClobberClasses(Vec<Class>),
    /// Any contents for `errno`, wherever it is.
    ClobberErrno,
}

#[derive(Clone, Debug)]
pub struct Call {
    pub result: Option<Var>,
    pub callee: Callee,
    pub args: Vec<Expr>,
    /// The callee surely returns if it ends without error.
    pub returns: bool,
    /// As [`crate::gc::Call::writes`].
    pub writes: Option<Vec<CallWrite>>,
    /// As [`crate::gc::Call::keeps`].
    pub keeps: u64,
}

#[derive(Clone, Copy, Debug)]
pub enum Callee {
    Symbol(Symbol),
    Pointer(Expr),
}

#[derive(Clone, Debug)]
pub enum Next {
    /// Any of the targets whose leading `assume` holds. Never empty.
    Goto(SmallVec<[Block; 2]>),
    Return {
        value: Option<Expr>,
        /// What the caller sees.
        memory: Var,
    },
    Raise,
    Error,
}

/// As in gc, but whatever looks at memory says at which version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExprData {
    Const(Type, u128),
    Var(Var),
    ObjectAddr(Object),
    SymbolAddr(Symbol),
    Unary(UnaryOp, Expr),
    Cast(CastOp, Type, Expr),
    Binary(BinaryOp, Expr, Expr),
    Ite(Expr, Expr, Expr),
    /// Memory and address; never volatile.
    Load(Var, Access, Expr),
    /// Memory, pointer, length.
    Valid(Var, Expr, Expr),
    Freeable(Var, Expr),
}

impl Next {
    /// The blocks that may follow.
    pub fn targets(&self) -> &[Block] {
        match self {
            Next::Goto(targets) => targets,
            Next::Return { .. } | Next::Raise | Next::Error => &[],
        }
    }
}

impl BlockData {
    /// May a run end within the block, and acceptably?
    pub fn may_stop(&self) -> bool {
        let may_stop = |kind: &CmdKind| matches!(kind, CmdKind::Update { effect: Effect::Call(call), .. } if !call.returns);
        self.cmds.iter().any(|cmd| may_stop(&cmd.kind))
    }
}

impl Effect {
    /// The expressions the effect depends on.
    pub fn exprs(&self) -> SmallVec<[Expr; 3]> {
        match self {
            Effect::Store { addr, value, .. } => [*addr, *value].into_iter().collect(),
            Effect::Copy { dst, src, len } => [*dst, *src, *len].into_iter().collect(),
            Effect::Fill { dst, byte, len } => [*dst, *byte, *len].into_iter().collect(),
            Effect::Alloca { size: a, .. }
            | Effect::Allocate { size: a, .. }
            | Effect::Free { pointer: a } => [*a].into_iter().collect(),
            Effect::ClobberRange { addr, len } => [*addr, *len].into_iter().collect(),
            Effect::Call(call) => {
                let pointer = match call.callee {
                    Callee::Pointer(pointer) => Some(pointer),
                    Callee::Symbol(_) => None,
                };
                pointer.into_iter().chain(call.args.iter().copied()).collect()
            }
            Effect::Enter(_) | Effect::ClobberEscaped | Effect::ClobberClasses(_) | Effect::ClobberErrno => {
                SmallVec::new()
            }
        }
    }
}

impl ExprData {
    /// The expressions directly below this one.
    pub fn operands(&self) -> SmallVec<[Expr; 3]> {
        let mut operands = SmallVec::new();
        self.for_each_operand(|operand| operands.push(operand));
        operands
    }

    /// The same as [`ExprData::operands`], one after the other.
    pub fn for_each_operand(&self, mut look_at: impl FnMut(Expr)) {
        match *self {
            ExprData::Const(..) | ExprData::Var(_) | ExprData::ObjectAddr(_) | ExprData::SymbolAddr(_) => {}
            ExprData::Unary(_, a)
            | ExprData::Cast(_, _, a)
            | ExprData::Load(_, _, a)
            | ExprData::Freeable(_, a) => look_at(a),
            ExprData::Binary(_, a, b) | ExprData::Valid(_, a, b) => {
                look_at(a);
                look_at(b);
            }
            ExprData::Ite(a, b, c) => {
                look_at(a);
                look_at(b);
                look_at(c);
            }
        }
    }

    /// The variable that this node itself reads, a value or a version of memory.
    pub fn var(&self) -> Option<Var> {
        match *self {
            ExprData::Var(var)
            | ExprData::Load(var, ..)
            | ExprData::Valid(var, ..)
            | ExprData::Freeable(var, _) => Some(var),
            _ => None,
        }
    }

    pub(crate) fn var_mut(&mut self) -> Option<&mut Var> {
        match self {
            ExprData::Var(var)
            | ExprData::Load(var, ..)
            | ExprData::Valid(var, ..)
            | ExprData::Freeable(var, _) => Some(var),
            _ => None,
        }
    }
}
