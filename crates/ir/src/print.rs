//! The text form of guarded commands: what `gainsay dump --stage=gc` shows, what tests are written in and
//! what `parse` reads back. Expressions print as trees, without recursion, into one buffer.

use crate::gc::*;
use crate::syntax::{self, LINKAGES};
use crate::text::{Text, Work, constant, local_name, name, quoted, quoted_name, type_name};
use cranelift_entity::EntityRef;

/// The whole unit: target, symbols, functions.
pub fn unit(unit: &Unit) -> String {
    let mut printer = Printer::new(unit);
    let endian = if unit.target.big_endian { "big" } else { "little" };
    let null = if unit.target.null_is_valid { " null" } else { "" };
    printer.text.write(format_args!("target ptr{} {endian}{null}\n", unit.target.pointer_bits));
    printer.assembly(&unit.assembly);
    for symbol in unit.symbols.values() {
        printer.symbol_line(symbol);
    }
    for f in &unit.functions {
        printer.text.out.push('\n');
        printer.function(f);
    }
    printer.text.out
}

/// One function of the unit.
pub fn function(unit: &Unit, f: &Function) -> String {
    let mut printer = Printer::new(unit);
    printer.function(f);
    printer.text.out
}

struct Printer<'a> {
    text: Text<'a, Expr>,
}

impl<'a> Printer<'a> {
    fn new(unit: &'a Unit) -> Self {
        Printer { text: Text::new(unit) }
    }

    fn assembly(&mut self, assembly: &Assembly) {
        if *assembly == Assembly::default() {
            return;
        }
        self.text.text("assembly");
        if assembly.names_anything {
            self.text.text(" anything");
        }
        for word in &assembly.words {
            self.text.text(" @");
            name(&mut self.text.out, word);
        }
        for (i, word) in assembly.defines.iter().enumerate() {
            self.text.text(if i == 0 { " defines @" } else { " @" });
            name(&mut self.text.out, word);
        }
        self.text.out.push('\n');
    }

    fn symbol_line(&mut self, data: &SymbolData) {
        match &data.kind {
            SymbolKind::Function(facts) => self.function_symbol(data, facts),
            SymbolKind::Object(facts) => self.object_symbol(data, facts),
        }
        self.text.out.push('\n');
    }

    fn function_symbol(&mut self, data: &SymbolData, facts: &FunctionFacts) {
        self.text.text("function @");
        name(&mut self.text.out, &data.name);
        self.text.text("(");
        for (i, ty) in facts.params.iter().enumerate() {
            self.text.comma(i);
            type_name(&mut self.text.out, *ty);
        }
        if facts.variadic {
            self.text.comma(facts.params.len());
            self.text.text("...");
        }
        self.text.text(")");
        self.text.result(facts.result);
        self.text.text(" ");
        self.text.text(syntax::name_of(LINKAGES, data.linkage));
        for (word, set) in [
            (" noreturn", facts.noreturn),
            (" returns_nonnull", facts.returns_nonnull),
            (" allocates", facts.allocates),
            (" returns_bool", facts.returns_bool),
            (" system", facts.system),
            (" library", facts.library),
            (" used", facts.used),
            (" takes_functions", facts.takes_functions),
            (" takes_opaque", facts.takes_opaque),
        ] {
            if set {
                self.text.text(word);
            }
        }
        for (word, bits) in [(" nonnull(", facts.nonnull), (" bools(", facts.bools), (" texts(", facts.texts)]
        {
            if bits == 0 {
                continue;
            }
            self.text.text(word);
            for (count, bit) in (0..64u32).filter(|bit| bits >> bit & 1 == 1).enumerate() {
                self.text.comma(count);
                self.text.number(bit);
            }
            self.text.text(")");
        }
    }

    fn object_symbol(&mut self, data: &SymbolData, facts: &ObjectFacts) {
        self.text.text("object @");
        name(&mut self.text.out, &data.name);
        self.text.text(" size ");
        match facts.size {
            Some(size) => self.text.number(size),
            None => {
                self.text.text("?");
                if facts.declared != 0 {
                    self.text.number(facts.declared);
                }
            }
        }
        self.text.text(" align ");
        self.text.number(facts.align);
        if facts.constant {
            self.text.text(" const");
        }
        match facts.held {
            Held::Placed => self.text.text(" placed"),
            Held::Anywhere => {}
            Held::Unretained => self.text.text(" unretained"),
            Held::Nowhere => self.text.text(" hidden"),
        }
        for (word, set) in [(" reached", facts.reached), (" system", facts.system)] {
            if set {
                self.text.text(word);
            }
        }
        self.text.text(" ");
        self.text.text(syntax::name_of(LINKAGES, data.linkage));
        let Some(init) = &facts.init else { return };
        self.text.text(" {");
        for (i, (offset, part)) in init.parts.iter().enumerate() {
            self.text.text(if i == 0 { " " } else { ", " });
            self.text.number(*offset);
            self.text.text(": ");
            match part {
                InitPart::Bytes(bytes) => quoted(&mut self.text.out, bytes),
                InitPart::Address(symbol, plus) => {
                    self.text.symbol(*symbol);
                    if *plus != 0 {
                        self.text.write(format_args!("{plus:+}"));
                    }
                }
            }
        }
        self.text.text(if init.parts.is_empty() { "}" } else { " }" });
    }

    fn function(&mut self, f: &Function) {
        self.text.text("func ");
        self.text.symbol(f.symbol);
        self.text.text("(");
        for (i, &param) in f.params.iter().enumerate() {
            self.text.comma(i);
            if !f.vars[param].is_written_by_user() {
                self.text.text("tmp ");
            }
            self.declaration(f, param);
        }
        self.text.text(")");
        self.text.result(f.result);
        self.text.text(" {\n");
        let mut is_param = vec![false; f.vars.len()];
        for param in &f.params {
            is_param[param.index()] = true;
        }
        for (var, data) in f.vars.iter().filter(|(var, _)| !is_param[var.index()]) {
            self.text.text(if data.is_written_by_user() { "  var " } else { "  tmp " });
            self.declaration(f, var);
            self.text.text("\n");
        }
        for (object, data) in &f.objects {
            self.text.text(if data.written_by_user { "  obj " } else { "  tmpobj " });
            self.object(f, object);
            self.text.text(": ");
            self.text.number(data.size);
            self.text.text(" align ");
            self.text.number(data.align);
            self.text.text("\n");
        }
        for (block, data) in &f.blocks {
            self.block(f, block, data);
        }
        self.text.text("}\n");
    }

    /// Name, type and, for temporaries with a meaning, the kind.
    fn declaration(&mut self, f: &Function, var: Var) {
        let data = &f.vars[var];
        self.var(f, var);
        self.text.text(": ");
        type_name(&mut self.text.out, data.ty);
        match &data.kind {
            VarKind::Source | VarKind::Temp => {}
            VarKind::OfText(argument) => self.text.write(format_args!(" of-text {argument}")),
            VarKind::ElementIsSet(element) => {
                self.text.text(" is-set ");
                quoted_name(&mut self.text.out, element);
            }
            kind => self.text.write(format_args!(" {}", syntax::name_of(syntax::VAR_KINDS, kind.clone()))),
        }
    }

    fn block(&mut self, f: &Function, block: Block, data: &BlockData) {
        self.text.label(block.as_u32(), data.branch);
        for cmd in &data.cmds {
            self.text.text("  ");
            self.cmd(f, &cmd.kind);
            self.text.loc(cmd.loc);
        }
        self.text.text("  ");
        match &data.next {
            Next::Goto(targets) => self.text.goto(targets.iter().map(|target| target.as_u32())),
            Next::Return(None) => self.text.text("return"),
            Next::Return(Some(value)) => {
                self.text.text("return ");
                self.expr(f, *value);
            }
            Next::Raise => self.text.text("raise"),
            Next::Error => self.text.text("error"),
        }
        self.text.text("\n");
    }

    fn cmd(&mut self, f: &Function, cmd: &CmdKind) {
        match cmd {
            CmdKind::Assign(var, value) => {
                self.var(f, *var);
                self.text.text(" = ");
                self.expr(f, *value);
            }
            CmdKind::Havoc(var) => {
                self.text.text("havoc ");
                self.var(f, *var);
            }
            CmdKind::Enter(var) => {
                self.text.text("enter ");
                self.var(f, *var);
            }
            CmdKind::EnterObject(object) => {
                self.text.text("enter &");
                self.object(f, *object);
            }
            CmdKind::Assume(condition) => {
                self.text.text("assume ");
                self.expr(f, *condition);
            }
            CmdKind::Assert(check, condition) => {
                self.text.assert(*check);
                self.expr(f, *condition);
            }
            CmdKind::Load { dst, addr, access } => {
                self.var(f, *dst);
                self.text.text(" = load ");
                self.text.access(access);
                self.expr(f, *addr);
            }
            CmdKind::Store { addr, value, access } => {
                self.text.text("store ");
                self.text.access(access);
                self.list(f, &[*addr, *value]);
            }
            CmdKind::Copy { dst, src, len } => {
                self.text.text("copy ");
                self.list(f, &[*dst, *src, *len]);
            }
            CmdKind::Fill { dst, byte, len } => {
                self.text.text("fill ");
                self.list(f, &[*dst, *byte, *len]);
            }
            CmdKind::Alloca { dst, size } => {
                self.var(f, *dst);
                self.text.text(" = alloca ");
                self.expr(f, *size);
            }
            CmdKind::Allocate { dst, size, unset } => {
                self.var(f, *dst);
                self.text.text(if *unset { " = allocate unset " } else { " = allocate " });
                self.expr(f, *size);
            }
            CmdKind::Free(pointer) => {
                self.text.text("free ");
                self.expr(f, *pointer);
            }
            CmdKind::Clobber(clobber) => self.clobber(f, clobber),
            CmdKind::Call(call) => self.call(f, call),
        }
    }

    fn clobber(&mut self, f: &Function, clobber: &Clobber) {
        self.text.text("clobber ");
        match clobber {
            Clobber::Escaped => self.text.text("escaped"),
            Clobber::Range { addr, len } => {
                self.text.text("range ");
                self.list(f, &[*addr, *len]);
            }
            Clobber::Classes(classes) => self.text.classes(classes),
            Clobber::Errno => self.text.text("errno"),
        }
    }

    fn call(&mut self, f: &Function, call: &Call) {
        if let Some(dst) = call.dst {
            self.var(f, dst);
            self.text.text(" = ");
        }
        self.text.text(if call.returns { "call returns " } else { "call " });
        match call.callee {
            Callee::Symbol(symbol) => self.text.symbol(symbol),
            Callee::Pointer(pointer) => {
                self.text.text("*");
                self.text.work.push(Work::Operand(pointer));
                self.run(f);
            }
        }
        self.text.text("(");
        self.list(f, &call.args);
        self.text.text(")");
        self.text.call_facts(call.writes.as_deref(), call.keeps, call.args.len());
    }

    fn list(&mut self, f: &Function, exprs: &[Expr]) {
        for (i, &expr) in exprs.iter().enumerate() {
            self.text.comma(i);
            self.expr(f, expr);
        }
    }

    fn expr(&mut self, f: &Function, expr: Expr) {
        self.text.work.push(Work::Expr(expr));
        self.run(f);
    }

    fn run(&mut self, f: &Function) {
        while let Some(work) = self.text.work.pop() {
            match work {
                Work::Text(text) => self.text.text(text),
                Work::Expr(expr) => self.node(f, &f.exprs[expr]),
                Work::Operand(expr) => {
                    let data = &f.exprs[expr];
                    if matches!(data, ExprData::Binary(..)) {
                        self.text.text("(");
                        self.text.work.push(Work::Text(")"));
                    }
                    self.node(f, data);
                }
            }
        }
    }

    fn node(&mut self, f: &Function, data: &ExprData) {
        match *data {
            ExprData::Const(ty, bits) => constant(&mut self.text.out, ty, bits),
            ExprData::Var(var) => self.var(f, var),
            ExprData::ObjectAddr(object) => {
                self.text.text("&");
                self.object(f, object);
            }
            ExprData::SymbolAddr(symbol) => self.text.symbol(symbol),
            ExprData::Unary(op, operand) => self.text.unary(op, operand),
            ExprData::Cast(op, ty, operand) => self.text.cast(op, ty, operand),
            ExprData::Binary(op, left, right) => self.text.binary(op, left, right),
            ExprData::Ite(condition, yes, no) => {
                self.text.text("ite(");
                self.text.arguments(&[condition, yes, no]);
            }
            ExprData::Initialised(var) => {
                self.text.text("init(");
                self.var(f, var);
                self.text.text(")");
            }
            ExprData::Valid(pointer, len) => {
                self.text.text("valid(");
                self.text.arguments(&[pointer, len]);
            }
            ExprData::Freeable(pointer) => {
                self.text.text("freeable(");
                self.text.arguments(&[pointer]);
            }
        }
    }

    fn var(&mut self, f: &Function, var: Var) {
        local_name(&mut self.text.out, &f.vars[var].name);
    }

    fn object(&mut self, f: &Function, object: Object) {
        local_name(&mut self.text.out, &f.objects[object].name);
    }
}
