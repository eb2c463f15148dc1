//! Rewriting the calls of a function in place: what `apply_models` and `apply_summaries` share.

use gainsay_ir::gc::{Cmd, CmdKind, Expr, ExprData, Function, Linkage, Loc, Unit, Var, VarData, VarKind};
use gainsay_ir::types::Type;
use std::collections::HashSet;

pub(crate) struct CallRewriter<'a> {
    pub(crate) unit: &'a Unit,
    pub(crate) f: Function,
    /// The new commands of the current block so far.
    pub(crate) cmds: Vec<Cmd>,
    /// The position of the current call.
    pub(crate) loc: Loc,
    /// Of variables and objects.
    names: HashSet<String>,
    temp_prefix: &'static str,
    temps: u32,
}

impl<'a> CallRewriter<'a> {
    /// `temp_prefix`: the beginning of the names of temporaries.
    pub(crate) fn new(unit: &'a Unit, f: Function, temp_prefix: &'static str) -> CallRewriter<'a> {
        let vars = f.vars.values().map(|var| var.name.clone());
        let names = vars.chain(f.objects.values().map(|object| object.name.clone())).collect();
        CallRewriter { unit, f, cmds: Vec::new(), loc: Loc::from_u32(0), names, temp_prefix, temps: 0 }
    }

    pub(crate) fn emit(&mut self, kind: CmdKind) {
        self.cmds.push(Cmd { kind, loc: self.loc });
    }

    pub(crate) fn expr(&mut self, data: ExprData) -> Expr {
        self.f.exprs.push(data)
    }

    pub(crate) fn constant(&mut self, ty: Type, bits: u128) -> Expr {
        self.expr(ExprData::Const(ty, bits))
    }

    pub(crate) fn ty(&self, expr: Expr) -> Type {
        self.f.ty(expr, self.unit.target.pointer_bits)
    }

    pub(crate) fn temp(&mut self, ty: Type) -> Var {
        let name = loop {
            self.temps += 1;
            let name = format!("{}{}", self.temp_prefix, self.temps);
            if self.names.insert(name.clone()) {
                break name;
            }
        };
        self.f.vars.push(VarData { name, ty, kind: VarKind::Temp })
    }

    /// Are the expressions equal, compared one level deep?
    pub(crate) fn is_same(&self, a: Expr, b: Expr) -> bool {
        let leaf = |a: Expr, b: Expr| self.f.exprs[a] == self.f.exprs[b];
        match (self.f.exprs[a], self.f.exprs[b]) {
            (ExprData::Binary(op_a, a, c), ExprData::Binary(op_b, b, d)) => {
                op_a == op_b && leaf(a, b) && leaf(c, d)
            }
            (a, b) => a == b,
        }
    }

    /// Is it the address of an object, or of a symbol that is not weak?
    pub(crate) fn is_never_null(&self, pointer: Expr) -> bool {
        match self.f.exprs[pointer] {
            ExprData::ObjectAddr(_) => true,
            ExprData::SymbolAddr(symbol) => self.unit.symbols[symbol].linkage != Linkage::Weak,
            _ => false,
        }
    }
}
