//! The text form of guarded commands: what `gainsay dump --stage=gc` shows, what tests are written in and
//! what `parse` reads back. Expressions print as trees, without recursion, into one buffer.

use crate::gc::*;
use crate::syntax::{self, LINKAGES, ORIGINS, OUTCOMES};
use crate::types::{FloatKind, Type};
use cranelift_entity::EntityRef;
use std::fmt::Write;

/// The whole unit: target, symbols, functions.
pub fn unit(unit: &Unit) -> String {
    let mut printer = Printer::new(unit);
    let endian = if unit.target.big_endian { "big" } else { "little" };
    printer.write(format_args!("target ptr{} {endian}\n", unit.target.pointer_bits));
    for symbol in unit.symbols.values() {
        printer.symbol_line(symbol);
    }
    for f in &unit.functions {
        printer.out.push('\n');
        printer.function(f);
    }
    printer.out
}

/// One function of the unit.
pub fn function(unit: &Unit, f: &Function) -> String {
    let mut printer = Printer::new(unit);
    printer.function(f);
    printer.out
}

/// What is still to be printed of an expression, last first.
enum Work {
    Text(&'static str),
    Expr(Expr),
    /// In parentheses where it is an infix operation.
    Operand(Expr),
}

struct Printer<'a> {
    unit: &'a Unit,
    out: String,
    work: Vec<Work>,
}

impl<'a> Printer<'a> {
    fn new(unit: &'a Unit) -> Self {
        Printer { unit, out: String::new(), work: Vec::new() }
    }

    fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn write(&mut self, arguments: std::fmt::Arguments) {
        // Writing to a String cannot fail.
        let _ = self.out.write_fmt(arguments);
    }

    fn number(&mut self, number: impl Into<u128>) {
        decimal(&mut self.out, number.into());
    }

    fn symbol_line(&mut self, data: &SymbolData) {
        match &data.kind {
            SymbolKind::Function(facts) => self.function_symbol(data, facts),
            SymbolKind::Object(facts) => self.object_symbol(data, facts),
        }
        self.out.push('\n');
    }

    fn function_symbol(&mut self, data: &SymbolData, facts: &FunctionFacts) {
        self.text("function @");
        name(&mut self.out, &data.name);
        self.text("(");
        for (i, ty) in facts.params.iter().enumerate() {
            self.comma(i);
            type_name(&mut self.out, *ty);
        }
        if facts.variadic {
            self.comma(facts.params.len());
            self.text("...");
        }
        self.text(")");
        self.result(facts.result);
        self.text(" ");
        self.text(syntax::name_of(LINKAGES, data.linkage));
        for (word, set) in [
            (" noreturn", facts.noreturn),
            (" returns_nonnull", facts.returns_nonnull),
            (" allocates", facts.allocates),
        ] {
            if set {
                self.text(word);
            }
        }
        if facts.nonnull != 0 {
            self.text(" nonnull(");
            for (count, bit) in (0..64u32).filter(|bit| facts.nonnull >> bit & 1 == 1).enumerate() {
                self.comma(count);
                self.number(bit);
            }
            self.text(")");
        }
    }

    fn object_symbol(&mut self, data: &SymbolData, facts: &ObjectFacts) {
        self.text("object @");
        name(&mut self.out, &data.name);
        self.text(" size ");
        match facts.size {
            Some(size) => self.number(size),
            None => self.text("?"),
        }
        self.text(" align ");
        self.number(facts.align);
        if facts.constant {
            self.text(" const");
        }
        self.text(" ");
        self.text(syntax::name_of(LINKAGES, data.linkage));
        let Some(init) = &facts.init else { return };
        self.text(" {");
        for (i, (offset, part)) in init.parts.iter().enumerate() {
            self.text(if i == 0 { " " } else { ", " });
            self.number(*offset);
            self.text(": ");
            match part {
                InitPart::Bytes(bytes) => quoted(&mut self.out, bytes),
                InitPart::Address(symbol, plus) => {
                    self.symbol(*symbol);
                    if *plus != 0 {
                        self.write(format_args!("{plus:+}"));
                    }
                }
            }
        }
        self.text(if init.parts.is_empty() { "}" } else { " }" });
    }

    fn function(&mut self, f: &Function) {
        self.text("func ");
        self.symbol(f.symbol);
        self.text("(");
        for (i, &param) in f.params.iter().enumerate() {
            self.comma(i);
            if !f.vars[param].written_by_user {
                self.text("tmp ");
            }
            self.var(f, param);
            self.text(": ");
            type_name(&mut self.out, f.vars[param].ty);
        }
        self.text(")");
        self.result(f.result);
        self.text(" {\n");
        let mut is_param = vec![false; f.vars.len()];
        for param in &f.params {
            is_param[param.index()] = true;
        }
        for (var, data) in f.vars.iter().filter(|(var, _)| !is_param[var.index()]) {
            self.text(if data.written_by_user { "  var " } else { "  tmp " });
            self.var(f, var);
            self.text(": ");
            type_name(&mut self.out, data.ty);
            self.text("\n");
        }
        for (object, data) in &f.objects {
            self.text(if data.written_by_user { "  obj " } else { "  tmpobj " });
            self.object(f, object);
            self.text(": ");
            self.number(data.size);
            self.text(" align ");
            self.number(data.align);
            self.text("\n");
        }
        for (block, data) in &f.blocks {
            self.block(f, block, data);
        }
        self.text("}\n");
    }

    fn block(&mut self, f: &Function, block: Block, data: &BlockData) {
        self.block_name(block);
        self.text(":");
        if let Some(branch) = data.branch {
            self.text(" [");
            self.text(syntax::name_of(ORIGINS, branch.origin));
            self.text(" ");
            self.text(syntax::name_of(OUTCOMES, branch.outcome));
            self.text(" ");
            self.number(branch.condition);
            self.text("]");
        }
        self.text("\n");
        for cmd in &data.cmds {
            self.text("  ");
            self.cmd(f, &cmd.kind);
            self.text(" !");
            self.number(cmd.loc.as_u32());
            self.text("\n");
        }
        self.text("  ");
        match &data.next {
            Next::Goto(targets) => {
                self.text("goto ");
                for (i, &target) in targets.iter().enumerate() {
                    self.comma(i);
                    self.block_name(target);
                }
            }
            Next::Return(None) => self.text("return"),
            Next::Return(Some(value)) => {
                self.text("return ");
                self.expr(f, *value);
            }
            Next::Raise => self.text("raise"),
            Next::Error => self.text("error"),
        }
        self.text("\n");
    }

    fn cmd(&mut self, f: &Function, cmd: &CmdKind) {
        match cmd {
            CmdKind::Assign(var, value) => {
                self.var(f, *var);
                self.text(" = ");
                self.expr(f, *value);
            }
            CmdKind::Havoc(var) => {
                self.text("havoc ");
                self.var(f, *var);
            }
            CmdKind::Enter(var) => {
                self.text("enter ");
                self.var(f, *var);
            }
            CmdKind::EnterObject(object) => {
                self.text("enter &");
                self.object(f, *object);
            }
            CmdKind::Assume(condition) => {
                self.text("assume ");
                self.expr(f, *condition);
            }
            CmdKind::Assert(check, condition) => {
                self.text("assert ");
                self.text(check.name());
                self.text(" ");
                self.expr(f, *condition);
            }
            CmdKind::Load { dst, addr, access } => {
                self.var(f, *dst);
                self.text(" = load ");
                self.access(access);
                self.expr(f, *addr);
            }
            CmdKind::Store { addr, value, access } => {
                self.text("store ");
                self.access(access);
                self.list(f, &[*addr, *value]);
            }
            CmdKind::Copy { dst, src, len } => {
                self.text("copy ");
                self.list(f, &[*dst, *src, *len]);
            }
            CmdKind::Fill { dst, byte, len } => {
                self.text("fill ");
                self.list(f, &[*dst, *byte, *len]);
            }
            CmdKind::Alloca { dst, size } => {
                self.var(f, *dst);
                self.text(" = alloca ");
                self.expr(f, *size);
            }
            CmdKind::Clobber(clobber) => self.clobber(f, clobber),
            CmdKind::Call(call) => self.call(f, call),
        }
    }

    fn clobber(&mut self, f: &Function, clobber: &Clobber) {
        self.text("clobber ");
        match clobber {
            Clobber::Escaped => self.text("escaped"),
            Clobber::Range { addr, len } => {
                self.text("range ");
                self.list(f, &[*addr, *len]);
            }
            Clobber::Classes(classes) => {
                for (i, &class) in classes.iter().enumerate() {
                    self.comma(i);
                    self.class(class);
                }
            }
        }
    }

    fn call(&mut self, f: &Function, call: &Call) {
        if let Some(dst) = call.dst {
            self.var(f, dst);
            self.text(" = ");
        }
        self.text("call ");
        match call.callee {
            Callee::Symbol(symbol) => self.symbol(symbol),
            Callee::Pointer(pointer) => {
                self.text("*");
                self.work.push(Work::Operand(pointer));
                self.run(f);
            }
        }
        self.text("(");
        self.list(f, &call.args);
        self.text(")");
    }

    fn access(&mut self, access: &Access) {
        type_name(&mut self.out, access.ty);
        self.text(" ");
        self.class(access.class);
        self.text(if access.volatile { " volatile " } else { " " });
    }

    fn class(&mut self, class: Class) {
        let ClassData { ty, field } = &self.unit.classes[class];
        self.text("#");
        if let Some((record, field)) = field {
            part_name(&mut self.out, record);
            self.text(".");
            part_name(&mut self.out, field);
            self.text("/");
        }
        match ty {
            Some(ty) => type_name(&mut self.out, *ty),
            None => self.text("any"),
        }
    }

    fn list(&mut self, f: &Function, exprs: &[Expr]) {
        for (i, &expr) in exprs.iter().enumerate() {
            self.comma(i);
            self.expr(f, expr);
        }
    }

    fn expr(&mut self, f: &Function, expr: Expr) {
        self.work.push(Work::Expr(expr));
        self.run(f);
    }

    fn run(&mut self, f: &Function) {
        while let Some(work) = self.work.pop() {
            match work {
                Work::Text(text) => self.text(text),
                Work::Expr(expr) => self.node(f, &f.exprs[expr]),
                Work::Operand(expr) => {
                    let data = &f.exprs[expr];
                    if matches!(data, ExprData::Binary(..)) {
                        self.text("(");
                        self.work.push(Work::Text(")"));
                    }
                    self.node(f, data);
                }
            }
        }
    }

    fn node(&mut self, f: &Function, data: &ExprData) {
        match *data {
            ExprData::Const(ty, bits) => constant(&mut self.out, ty, bits),
            ExprData::Var(var) => self.var(f, var),
            ExprData::ObjectAddr(object) => {
                self.text("&");
                self.object(f, object);
            }
            ExprData::SymbolAddr(symbol) => self.symbol(symbol),
            ExprData::Unary(op, operand) => {
                self.text(match op {
                    UnaryOp::Not => "!",
                    UnaryOp::Neg => "-",
                    UnaryOp::FNeg => "-.",
                });
                self.work.push(Work::Operand(operand));
            }
            ExprData::Cast(op, ty, operand) => {
                self.text(syntax::cast_name(op));
                // The pointer bits do not matter: a cast to a pointer prints no width.
                if ty != Type::Ptr {
                    self.number(ty.bits(0));
                }
                self.arguments(&[operand]);
            }
            ExprData::Binary(op, left, right) => {
                self.work.push(Work::Operand(right));
                self.work.push(Work::Text(" "));
                self.work.push(Work::Text(syntax::binary_sign(op)));
                self.work.push(Work::Text(" "));
                self.work.push(Work::Operand(left));
            }
            ExprData::Ite(condition, yes, no) => {
                self.text("ite");
                self.arguments(&[condition, yes, no]);
            }
            ExprData::Initialised(var) => {
                self.text("init(");
                self.var(f, var);
                self.text(")");
            }
            ExprData::Valid(pointer, len) => {
                self.text("valid");
                self.arguments(&[pointer, len]);
            }
            ExprData::Freeable(pointer) => {
                self.text("freeable");
                self.arguments(&[pointer]);
            }
        }
    }

    fn arguments(&mut self, arguments: &[Expr]) {
        self.text("(");
        self.work.push(Work::Text(")"));
        for (i, &argument) in arguments.iter().enumerate().rev() {
            self.work.push(Work::Expr(argument));
            if i > 0 {
                self.work.push(Work::Text(", "));
            }
        }
    }

    fn result(&mut self, result: Option<Type>) {
        if let Some(ty) = result {
            self.text(" -> ");
            type_name(&mut self.out, ty);
        }
    }

    fn comma(&mut self, index: usize) {
        if index > 0 {
            self.text(", ");
        }
    }

    fn var(&mut self, f: &Function, var: Var) {
        local_name(&mut self.out, &f.vars[var].name);
    }

    fn object(&mut self, f: &Function, object: Object) {
        local_name(&mut self.out, &f.objects[object].name);
    }

    fn symbol(&mut self, symbol: Symbol) {
        self.text("@");
        name(&mut self.out, &self.unit.symbols[symbol].name);
    }

    fn block_name(&mut self, block: Block) {
        self.text("b");
        self.number(block.as_u32());
    }
}

pub(crate) fn type_name(out: &mut String, ty: Type) {
    match ty {
        Type::Int(1) => out.push_str("bool"),
        Type::Int(bits) => {
            out.push('i');
            decimal(out, bits.into());
        }
        Type::Ptr => out.push_str("ptr"),
        Type::Float(kind) => {
            out.push('f');
            decimal(out, kind.bits().into());
        }
    }
}

pub(crate) fn constant(out: &mut String, ty: Type, bits: u128) {
    match (ty, bits) {
        (Type::Int(1), 0) => out.push_str("false"),
        (Type::Int(1), 1) => out.push_str("true"),
        (Type::Ptr, 0) => out.push_str("null"),
        (Type::Float(kind), _) => float_constant(out, kind, bits),
        _ => {
            decimal(out, bits);
            type_name(out, ty);
        }
    }
}

fn float_constant(out: &mut String, kind: FloatKind, bits: u128) {
    let digits = usize::from(kind.bits() / 4);
    // Writing to a String cannot fail.
    let _ = write!(out, "0x{bits:0digits$x}f{}", kind.bits());
}

/// Formatting machinery costs more than the digits of the small numbers that fill the text.
pub(crate) fn decimal(out: &mut String, number: u128) {
    let Ok(mut rest) = u64::try_from(number) else {
        // Writing to a String cannot fail.
        let _ = write!(out, "{number}");
        return;
    };
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend(digits[at..].iter().map(|&digit| char::from(digit)));
}

fn name(out: &mut String, name: &str) {
    if syntax::is_plain(name) { out.push_str(name) } else { quoted_name(out, name) }
}

pub(crate) fn local_name(out: &mut String, name: &str) {
    if syntax::is_plain(name) && !syntax::is_reserved(name) {
        out.push_str(name);
    } else {
        quoted_name(out, name);
    }
}

/// Half of a `record.field`, where a dot inside a name would be ambiguous.
fn part_name(out: &mut String, name: &str) {
    if syntax::is_plain(name) && !name.contains('.') { out.push_str(name) } else { quoted_name(out, name) }
}

fn quoted_name(out: &mut String, name: &str) {
    out.push('"');
    for c in name.chars() {
        if c.is_ascii() { escaped(out, c as u8) } else { out.push(c) }
    }
    out.push('"');
}

fn quoted(out: &mut String, bytes: &[u8]) {
    out.push('"');
    for &byte in bytes {
        escaped(out, byte);
    }
    out.push('"');
}

fn escaped(out: &mut String, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    match byte {
        b'"' => out.push_str("\\\""),
        b'\\' => out.push_str("\\\\"),
        b'\n' => out.push_str("\\n"),
        b' '..=b'~' => out.push(char::from(byte)),
        _ => {
            out.push_str("\\x");
            out.push(char::from(HEX[usize::from(byte >> 4)]));
            out.push(char::from(HEX[usize::from(byte & 15)]));
        }
    }
}
