//! Replaces calls of library functions by what their models say, all at the place of the call.
//!
//! Only functions of the library are replaced (`FunctionFacts::library`), if they are declared as the model has it: not those
//! with a body in the unit, nor static or weak ones. A call whose arguments do not fit the model stays as it is.

mod body;
mod classes;
mod line;

pub use classes::LibraryClasses;

use crate::call_rewriter::CallRewriter;
use crate::models::{Meaning, Models};
use cranelift_entity::EntitySet;
use gainsay_ir::check::Check;
use gainsay_ir::gc::{
    BinaryOp, Call, Callee, Cmd, CmdKind, Expr, ExprData, Function, Linkage, Symbol, SymbolKind, Unit,
};
use gainsay_ir::types::{BOOL, Type};

/// `classes`: of the same unit. `has_body`: the functions of the unit that have one.
pub fn apply_models(
    unit: &Unit,
    classes: &LibraryClasses,
    models: &Models,
    has_body: &EntitySet<Symbol>,
    f: Function,
) -> Function {
    let meaning = |cmd: &Cmd| {
        let CmdKind::Call(call) = &cmd.kind else { return None };
        let Callee::Symbol(symbol) = call.callee else { return None };
        let data = &unit.symbols[symbol];
        let is_elsewhere = data.linkage == Linkage::External && !has_body.contains(symbol);
        let SymbolKind::Function(facts) = &data.kind else { return None };
        models.meaning(&data.name).filter(|_| is_elsewhere && models.is_meant(&data.name, facts))
    };
    if !f.blocks.values().flat_map(|data| &data.cmds).any(|cmd| meaning(cmd).is_some()) {
        return f;
    }
    let mut applier = Applier { out: CallRewriter::new(unit, f, "m"), classes };
    for block in applier.out.f.blocks.keys() {
        if !applier.out.f.blocks[block].cmds.iter().any(|cmd| meaning(cmd).is_some()) {
            continue;
        }
        let cmds = std::mem::take(&mut applier.out.f.blocks[block].cmds);
        for cmd in cmds {
            let (Some(meaning), CmdKind::Call(call)) = (meaning(&cmd), &cmd.kind) else {
                applier.out.cmds.push(cmd);
                continue;
            };
            applier.out.loc = cmd.loc;
            let end = match meaning {
                Meaning::Line(line) => applier.line(&line, call),
                Meaning::Body { unit, function, takes_more } => {
                    applier.body(unit, function, takes_more, call);
                    None
                }
            };
            if let Some(end) = end {
                applier.out.f.blocks[block].next = end;
                break;
            }
        }
        applier.out.f.blocks[block].cmds = std::mem::take(&mut applier.out.cmds);
    }
    applier.out.f
}

struct Applier<'a> {
    out: CallRewriter<'a>,
    classes: &'a LibraryClasses,
}

impl Applier<'_> {
    fn word(&self) -> Type {
        Type::Int(self.out.unit.target.pointer_bits)
    }

    /// Any value.
    fn unknown(&mut self, ty: Type) -> Expr {
        let var = self.out.temp(ty);
        self.out.emit(CmdKind::Havoc(var));
        self.out.expr(ExprData::Var(var))
    }

    fn call(&mut self, call: &Call, returns: bool) {
        self.out.emit(CmdKind::Call(Box::new(Call { returns, ..call.clone() })));
    }

    /// A check that lowering has made already, or that is evidently true, is not made.
    fn assert(&mut self, check: Check, holds: Expr) {
        let data = self.out.f.exprs[holds];
        if check == Check::NonnullArgument && self.out.unit.target.null_is_valid {
            return;
        }
        let is_same = |cmd: &Cmd| match cmd.kind {
            CmdKind::Assert(other, before) => other == check && self.out.is_same(before, holds),
            _ => false,
        };
        let asserted = |cmd: &&Cmd| matches!(cmd.kind, CmdKind::Assert(..) | CmdKind::Assume(_));
        if data != ExprData::Const(BOOL, 1) && !self.out.cmds.iter().rev().take_while(asserted).any(is_same) {
            self.out.emit(CmdKind::Assert(check, holds));
        }
    }

    /// The operation, or its value where that is evident.
    fn binary(&mut self, op: BinaryOp, a: Expr, b: Expr) -> Expr {
        let known = match (op, self.out.f.exprs[a], self.out.f.exprs[b]) {
            (BinaryOp::Eq, ExprData::Const(_, a), ExprData::Const(_, b)) => Some(a == b),
            (BinaryOp::Ne, ExprData::Const(_, a), ExprData::Const(_, b)) => Some(a != b),
            (BinaryOp::Ne, _, ExprData::Const(Type::Ptr, 0)) if self.out.is_never_null(a) => Some(true),
            (BinaryOp::Or, ExprData::Const(BOOL, 1), _) | (BinaryOp::Or, _, ExprData::Const(BOOL, 1)) => {
                Some(true)
            }
            (BinaryOp::Or, ExprData::Const(BOOL, 0), _) => return b,
            _ => None,
        };
        match known {
            Some(value) => self.out.constant(BOOL, value.into()),
            None => self.out.expr(ExprData::Binary(op, a, b)),
        }
    }
}
