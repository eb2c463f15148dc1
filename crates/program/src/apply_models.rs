//! Replaces calls of library functions by what their models say, all at the place of the call.
//!
//! Only functions of the library are replaced (`FunctionFacts::library`), if they are declared as the model has it: not those
//! with a body in the unit, nor static or weak ones. A call whose arguments do not fit the model stays as it is.

mod body;
mod classes;
mod line;

pub use classes::LibraryClasses;

use crate::models::{Meaning, Models};
use cranelift_entity::EntitySet;
use gainsay_ir::check::Check;
use gainsay_ir::gc::{
    BinaryOp, Call, Callee, Cmd, CmdKind, Expr, ExprData, Function, Linkage, Loc, Symbol, SymbolKind, Unit,
    Var, VarData, VarKind,
};
use gainsay_ir::types::{BOOL, Type};
use std::collections::HashSet;

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
    let names = f.vars.values().map(|var| var.name.clone()).chain(f.objects.values().map(|o| o.name.clone()));
    let mut applier = Applier {
        unit,
        classes,
        names: names.collect(),
        f,
        cmds: Vec::new(),
        loc: Loc::from_u32(0),
        temps: 0,
    };
    for block in applier.f.blocks.keys() {
        if !applier.f.blocks[block].cmds.iter().any(|cmd| meaning(cmd).is_some()) {
            continue;
        }
        let cmds = std::mem::take(&mut applier.f.blocks[block].cmds);
        for cmd in cmds {
            let (Some(meaning), CmdKind::Call(call)) = (meaning(&cmd), &cmd.kind) else {
                applier.cmds.push(cmd);
                continue;
            };
            applier.loc = cmd.loc;
            let end = match meaning {
                Meaning::Line(line) => applier.line(&line, call),
                Meaning::Body { unit, function, takes_more } => {
                    applier.body(unit, function, takes_more, call);
                    None
                }
            };
            if let Some(end) = end {
                applier.f.blocks[block].next = end;
                break;
            }
        }
        applier.f.blocks[block].cmds = std::mem::take(&mut applier.cmds);
    }
    applier.f
}

struct Applier<'a> {
    unit: &'a Unit,
    classes: &'a LibraryClasses,
    f: Function,
    /// Of variables and objects.
    names: HashSet<String>,
    /// The commands of the current block so far.
    cmds: Vec<Cmd>,
    /// The place of the current call.
    loc: Loc,
    temps: u32,
}

impl Applier<'_> {
    fn emit(&mut self, kind: CmdKind) {
        self.cmds.push(Cmd { kind, loc: self.loc });
    }

    fn expr(&mut self, data: ExprData) -> Expr {
        self.f.exprs.push(data)
    }

    fn constant(&mut self, ty: Type, bits: u128) -> Expr {
        self.expr(ExprData::Const(ty, bits))
    }

    fn word(&self) -> Type {
        Type::Int(self.unit.target.pointer_bits)
    }

    fn ty(&self, expr: Expr) -> Type {
        self.f.ty(expr, self.unit.target.pointer_bits)
    }

    fn temp(&mut self, ty: Type) -> Var {
        let name = loop {
            self.temps += 1;
            let name = format!("m{}", self.temps);
            if self.names.insert(name.clone()) {
                break name;
            }
        };
        self.f.vars.push(VarData { name, ty, kind: VarKind::Temp })
    }

    /// Any value.
    fn unknown(&mut self, ty: Type) -> Expr {
        let var = self.temp(ty);
        self.emit(CmdKind::Havoc(var));
        self.expr(ExprData::Var(var))
    }

    fn call(&mut self, call: &Call, returns: bool) {
        self.emit(CmdKind::Call(Box::new(Call { returns, ..call.clone() })));
    }

    /// A check that lowering has made already, or that is evidently true, is not made.
    fn assert(&mut self, check: Check, holds: Expr) {
        let data = self.f.exprs[holds];
        if check == Check::NonnullArgument && self.unit.target.null_is_valid {
            return;
        }
        let is_same = |cmd: &Cmd| match cmd.kind {
            CmdKind::Assert(other, before) => other == check && self.is_same(before, holds),
            _ => false,
        };
        let asserted = |cmd: &&Cmd| matches!(cmd.kind, CmdKind::Assert(..) | CmdKind::Assume(_));
        if data != ExprData::Const(BOOL, 1) && !self.cmds.iter().rev().take_while(asserted).any(is_same) {
            self.emit(CmdKind::Assert(check, holds));
        }
    }

    /// Equal but for the numbers of what the operands are made of, one level deep.
    fn is_same(&self, a: Expr, b: Expr) -> bool {
        let leaf = |a: Expr, b: Expr| self.f.exprs[a] == self.f.exprs[b];
        match (self.f.exprs[a], self.f.exprs[b]) {
            (ExprData::Binary(op_a, a, c), ExprData::Binary(op_b, b, d)) => {
                op_a == op_b && leaf(a, b) && leaf(c, d)
            }
            (a, b) => a == b,
        }
    }

    /// Addresses of objects and of symbols that are not weak.
    fn is_never_null(&self, pointer: Expr) -> bool {
        match self.f.exprs[pointer] {
            ExprData::ObjectAddr(_) => true,
            ExprData::SymbolAddr(symbol) => self.unit.symbols[symbol].linkage != Linkage::Weak,
            _ => false,
        }
    }

    /// The operation, or its value where that is evident.
    fn binary(&mut self, op: BinaryOp, a: Expr, b: Expr) -> Expr {
        let known = match (op, self.f.exprs[a], self.f.exprs[b]) {
            (BinaryOp::Eq, ExprData::Const(_, a), ExprData::Const(_, b)) => Some(a == b),
            (BinaryOp::Ne, ExprData::Const(_, a), ExprData::Const(_, b)) => Some(a != b),
            (BinaryOp::Ne, _, ExprData::Const(Type::Ptr, 0)) if self.is_never_null(a) => Some(true),
            (BinaryOp::Or, ExprData::Const(BOOL, 1), _) | (BinaryOp::Or, _, ExprData::Const(BOOL, 1)) => {
                Some(true)
            }
            (BinaryOp::Or, ExprData::Const(BOOL, 0), _) => return b,
            _ => None,
        };
        match known {
            Some(value) => self.constant(BOOL, value.into()),
            None => self.expr(ExprData::Binary(op, a, b)),
        }
    }
}
