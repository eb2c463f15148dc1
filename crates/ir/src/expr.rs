//! Small facts about expressions that printer, verifier, interpreter and passes share.

use crate::gc::{BinaryOp, Block, Callee, Clobber, Cmd, CmdKind, Expr, ExprData, Function, Next, Var};
use crate::types::{BOOL, Type};
use cranelift_entity::PrimaryMap;
use smallvec::{SmallVec, smallvec};
use std::collections::BTreeSet;

pub type Operands = SmallVec<[Expr; 3]>;

impl ExprData {
    /// The expressions directly below this one.
    pub fn operands(&self) -> Operands {
        match *self {
            ExprData::Const(..)
            | ExprData::Var(_)
            | ExprData::ObjectAddr(_)
            | ExprData::SymbolAddr(_)
            | ExprData::Initialised(_) => Operands::new(),
            ExprData::Unary(_, a) | ExprData::Cast(_, _, a) | ExprData::Freeable(a) => smallvec![a],
            ExprData::Binary(_, a, b) | ExprData::Valid(a, b) => smallvec![a, b],
            ExprData::Ite(a, b, c) => smallvec![a, b, c],
        }
    }
}

impl Function {
    /// The type of an expression of a function that is well formed. For many of them, see [`Function::types`].
    pub fn ty(&self, expr: Expr, pointer_bits: u16) -> Type {
        let mut expr = expr;
        loop {
            match self.exprs[expr] {
                ExprData::Const(ty, _) | ExprData::Cast(_, ty, _) => return ty,
                ExprData::Var(var) => return self.vars[var].ty,
                ExprData::ObjectAddr(_) | ExprData::SymbolAddr(_) => return Type::Ptr,
                ExprData::Binary(op, _, _) if op.is_comparison() => return BOOL,
                ExprData::Binary(BinaryOp::PtrSub, _, _) => return Type::Int(pointer_bits),
                ExprData::Initialised(_) | ExprData::Valid(..) | ExprData::Freeable(_) => return BOOL,
                ExprData::Unary(_, operand) => expr = operand,
                ExprData::Binary(_, left, _) => expr = left,
                ExprData::Ite(_, yes, _) => expr = yes,
            }
        }
    }
}

impl Function {
    /// The types of all expressions of a function that is well formed.
    pub fn types(&self, pointer_bits: u16) -> PrimaryMap<Expr, Type> {
        let mut types = PrimaryMap::with_capacity(self.exprs.len());
        for data in self.exprs.values() {
            let ty = match *data {
                ExprData::Const(ty, _) | ExprData::Cast(_, ty, _) => ty,
                ExprData::Var(var) => self.vars[var].ty,
                ExprData::ObjectAddr(_) | ExprData::SymbolAddr(_) => Type::Ptr,
                ExprData::Binary(op, _, _) if op.is_comparison() => BOOL,
                ExprData::Binary(BinaryOp::PtrSub, _, _) => Type::Int(pointer_bits),
                ExprData::Initialised(_) | ExprData::Valid(..) | ExprData::Freeable(_) => BOOL,
                ExprData::Unary(_, a) | ExprData::Binary(_, a, _) | ExprData::Ite(_, a, _) => types[a],
            };
            types.push(ty);
        }
        types
    }
}

impl Cmd {
    /// The variable that the command gives a value to, if any (`enter` gives one that does not count).
    pub fn assigned(&self) -> Option<Var> {
        match &self.kind {
            CmdKind::Assign(var, _) | CmdKind::Havoc(var) | CmdKind::Enter(var) => Some(*var),
            CmdKind::Load { dst, .. } | CmdKind::Alloca { dst, .. } | CmdKind::Allocate { dst, .. } => {
                Some(*dst)
            }
            CmdKind::Call(call) => call.dst,
            CmdKind::EnterObject(_)
            | CmdKind::Assume(_)
            | CmdKind::Assert(..)
            | CmdKind::Store { .. }
            | CmdKind::Copy { .. }
            | CmdKind::Fill { .. }
            | CmdKind::Free(_)
            | CmdKind::Clobber(_) => None,
        }
    }

    /// The expressions the command evaluates.
    pub fn exprs(&self) -> Operands {
        match &self.kind {
            CmdKind::Assign(_, expr)
            | CmdKind::Assume(expr)
            | CmdKind::Assert(_, expr)
            | CmdKind::Free(expr) => smallvec![*expr],
            CmdKind::Load { addr, .. } => smallvec![*addr],
            CmdKind::Store { addr, value, .. } => smallvec![*addr, *value],
            CmdKind::Copy { dst, src, len } => smallvec![*dst, *src, *len],
            CmdKind::Fill { dst, byte, len } => smallvec![*dst, *byte, *len],
            CmdKind::Alloca { size, .. } | CmdKind::Allocate { size, .. } => smallvec![*size],
            CmdKind::Clobber(Clobber::Range { addr, len }) => smallvec![*addr, *len],
            CmdKind::Call(call) => {
                let pointer = match call.callee {
                    Callee::Pointer(pointer) => Some(pointer),
                    Callee::Symbol(_) => None,
                };
                pointer.into_iter().chain(call.args.iter().copied()).collect()
            }
            CmdKind::Havoc(_)
            | CmdKind::Enter(_)
            | CmdKind::EnterObject(_)
            | CmdKind::Clobber(Clobber::Escaped | Clobber::Classes(_) | Clobber::Errno) => Operands::new(),
        }
    }
}

impl Next {
    /// The blocks that may follow.
    pub fn targets(&self) -> &[Block] {
        match self {
            Next::Goto(targets) => targets,
            Next::Return(_) | Next::Raise | Next::Error => &[],
        }
    }
}

/// The variables that it looks at; `None` if the expression looks at anything else than variables.
pub(crate) fn vars_of(f: &Function, root: Expr) -> Option<BTreeSet<Var>> {
    let mut found = BTreeSet::new();
    let mut stack = vec![root];
    while let Some(expr) = stack.pop() {
        match f.exprs[expr] {
            ExprData::Var(var) => {
                found.insert(var);
            }
            ExprData::ObjectAddr(_)
            | ExprData::SymbolAddr(_)
            | ExprData::Initialised(_)
            | ExprData::Valid(..)
            | ExprData::Freeable(_) => return None,
            _ => {}
        }
        stack.extend(f.exprs[expr].operands());
    }
    Some(found)
}
