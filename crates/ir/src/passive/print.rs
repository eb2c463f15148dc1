//! The text form of the passive stage, for people: `x:2` is the second value of `x` after the first,
//! `x?:1` says whether `x` is initialised, `%3` is a version of memory. Nothing reads it back.

use super::{BlockData, Callee, Cmd, CmdKind, Effect, Expr, ExprData, Function, Next, Phi, Var, VarOf};
use crate::gc::{Object, Unit};
use crate::text::{Text, Work, constant, local_name, type_name};

/// One function of the unit.
pub fn print(unit: &Unit, f: &Function) -> String {
    let mut printer = Printer { text: Text::new(unit), f };
    printer.function();
    printer.text.out
}

struct Printer<'a> {
    text: Text<'a, Expr>,
    f: &'a Function,
}

impl Printer<'_> {
    fn function(&mut self) {
        let f = self.f;
        self.text.text("passive ");
        self.text.symbol(f.symbol);
        self.text.text("(");
        for (i, &param) in f.params.iter().enumerate() {
            self.text.comma(i);
            self.var(param);
            if let super::Sort::Value(ty) = f.vars[param].sort {
                self.text.text(": ");
                type_name(&mut self.text.out, ty);
            }
        }
        self.text.text(")");
        self.text.result(f.result);
        self.text.text(" {\n");
        for (block, data) in &f.blocks {
            self.text.label(block.as_u32(), data.branch);
            self.block(data);
        }
        self.text.text("}\n");
    }

    fn block(&mut self, data: &BlockData) {
        for phi in &data.phis {
            self.phi(phi);
        }
        for cmd in &data.cmds {
            self.cmd(cmd);
        }
        self.text.text("  ");
        match &data.next {
            Next::Goto(targets) => self.text.goto(targets.iter().map(|target| target.as_u32())),
            Next::Return { value, memory } => {
                self.text.text("return ");
                if let Some(value) = value {
                    self.expr(*value);
                    self.text.text(", ");
                }
                self.var(*memory);
            }
            Next::Raise => self.text.text("raise"),
            Next::Error => self.text.text("error"),
        }
        self.text.text("\n");
    }

    fn phi(&mut self, phi: &Phi) {
        self.text.text("  ");
        self.var(phi.var);
        self.text.text(" = phi ");
        for (i, &(block, var)) in phi.sources.iter().enumerate() {
            self.text.comma(i);
            self.text.block(block.as_u32());
            self.text.text(" ");
            self.var(var);
        }
        self.text.text("\n");
    }

    fn cmd(&mut self, cmd: &Cmd) {
        self.text.text("  ");
        match &cmd.kind {
            CmdKind::Define(var, value) => {
                self.var(*var);
                self.text.text(" = ");
                self.expr(*value);
            }
            CmdKind::Update { after, before, effect } => {
                self.var(*after);
                self.text.text(" = ");
                self.effect(*before, effect);
            }
            CmdKind::Assume(condition) => {
                self.text.text("assume ");
                self.expr(*condition);
            }
            CmdKind::Assert(check, condition) => {
                self.text.assert(*check);
                self.expr(*condition);
            }
        }
        self.text.loc(cmd.loc);
    }

    fn effect(&mut self, before: Var, effect: &Effect) {
        let word = match effect {
            Effect::Store { .. } => "store",
            Effect::Copy { .. } => "copy",
            Effect::Fill { .. } => "fill",
            Effect::Enter(_) => "enter",
            Effect::Alloca { .. } => "alloca",
            Effect::Allocate { .. } => "allocate",
            Effect::Free { .. } => "free",
            Effect::Call(_) => "call",
            Effect::ClobberEscaped
            | Effect::ClobberRange { .. }
            | Effect::ClobberClasses(_)
            | Effect::ClobberErrno => "clobber",
        };
        self.text.text(word);
        self.text.text(" ");
        self.var(before);
        self.text.text(" ");
        match effect {
            Effect::Store { access, addr, value } => {
                self.text.access(access);
                self.list(&[*addr, *value]);
            }
            Effect::Copy { dst, src, len } => self.list(&[*dst, *src, *len]),
            Effect::Fill { dst, byte, len } => self.list(&[*dst, *byte, *len]),
            Effect::Enter(object) => {
                self.text.text("&");
                self.object(*object);
            }
            Effect::Alloca { pointer, size } | Effect::Allocate { pointer, size } => {
                self.var(*pointer);
                self.text.text(", ");
                self.expr(*size);
            }
            Effect::Free { pointer } => self.expr(*pointer),
            Effect::Call(call) => {
                if call.returns {
                    self.text.text("returns ");
                }
                match call.callee {
                    Callee::Symbol(symbol) => self.text.symbol(symbol),
                    Callee::Pointer(pointer) => {
                        self.text.text("*");
                        self.text.work.push(Work::Operand(pointer));
                        self.run();
                    }
                }
                self.text.text("(");
                self.list(&call.args);
                self.text.text(")");
                self.text.call_facts(call.writes.as_deref(), call.keeps, call.args.len());
                if let Some(result) = call.result {
                    self.text.text(" -> ");
                    self.var(result);
                }
            }
            Effect::ClobberEscaped => self.text.text("escaped"),
            Effect::ClobberRange { addr, len } => {
                self.text.text("range ");
                self.list(&[*addr, *len]);
            }
            Effect::ClobberClasses(classes) => self.text.classes(classes),
            Effect::ClobberErrno => self.text.text("errno"),
        }
    }

    fn var(&mut self, var: Var) {
        let data = &self.f.vars[var];
        match data.of {
            VarOf::Source(source) => local_name(&mut self.text.out, &self.f.sources[source].name),
            VarOf::Initialised(source) => {
                local_name(&mut self.text.out, &self.f.sources[source].name);
                self.text.text("?");
            }
            VarOf::Flag(true) => return self.text.text("?yes"),
            VarOf::Flag(false) => return self.text.text("?no"),
            VarOf::Memory => {
                self.text.text("%");
                return self.text.number(data.version);
            }
        }
        self.text.text(":");
        self.text.number(data.version);
    }

    fn object(&mut self, object: Object) {
        local_name(&mut self.text.out, &self.f.objects[object].name);
    }

    fn list(&mut self, exprs: &[Expr]) {
        for (i, &expr) in exprs.iter().enumerate() {
            self.text.comma(i);
            self.expr(expr);
        }
    }

    fn expr(&mut self, expr: Expr) {
        self.text.work.push(Work::Expr(expr));
        self.run();
    }

    fn run(&mut self) {
        while let Some(work) = self.text.work.pop() {
            match work {
                Work::Text(text) => self.text.text(text),
                Work::Expr(expr) => self.node(&self.f.exprs[expr]),
                Work::Operand(expr) => {
                    let data = &self.f.exprs[expr];
                    if matches!(data, ExprData::Binary(..)) {
                        self.text.text("(");
                        self.text.work.push(Work::Text(")"));
                    }
                    self.node(data);
                }
            }
        }
    }

    fn node(&mut self, data: &ExprData) {
        match *data {
            ExprData::Const(ty, bits) => constant(&mut self.text.out, ty, bits),
            ExprData::Var(var) => self.var(var),
            ExprData::ObjectAddr(object) => {
                self.text.text("&");
                self.object(object);
            }
            ExprData::SymbolAddr(symbol) => self.text.symbol(symbol),
            ExprData::Unary(op, a) => self.text.unary(op, a),
            ExprData::Cast(op, ty, a) => self.text.cast(op, ty, a),
            ExprData::Binary(op, a, b) => self.text.binary(op, a, b),
            ExprData::Ite(a, b, c) => {
                self.text.text("ite(");
                self.text.arguments(&[a, b, c]);
            }
            ExprData::Load(memory, access, addr) => {
                self.text.text("load(");
                self.var(memory);
                self.text.text(" ");
                self.text.access(&access);
                self.text.arguments(&[addr]);
            }
            ExprData::Valid(memory, pointer, len) => {
                self.text.text("valid(");
                self.var(memory);
                self.text.text(", ");
                self.text.arguments(&[pointer, len]);
            }
            ExprData::Freeable(memory, pointer) => {
                self.text.text("freeable(");
                self.var(memory);
                self.text.text(", ");
                self.text.arguments(&[pointer]);
            }
        }
    }
}
