//! The buffer that the text forms of both stages are written into: names, constants, and expressions as
//! trees, without recursion.

use crate::check::Check;
use crate::gc::{
    Access, BinaryOp, Branch, CallBase, CallWrite, CastOp, Class, ClassData, KEEPS_ALL, Loc, Symbol, UnaryOp,
    Unit, is_kept,
};
use crate::syntax::{self, ORIGINS, OUTCOMES};
use crate::types::{FloatKind, Type};
use std::fmt::Write;

/// What is still to be printed of an expression, last first.
pub enum Work<E> {
    Text(&'static str),
    Expr(E),
    /// In parentheses where it is an infix operation.
    Operand(E),
}

/// Text of a function whose expressions are named by `E`.
pub struct Text<'a, E> {
    unit: &'a Unit,
    pub out: String,
    pub work: Vec<Work<E>>,
}

impl<'a, E: Copy> Text<'a, E> {
    pub fn new(unit: &'a Unit) -> Self {
        Text { unit, out: String::new(), work: Vec::new() }
    }

    pub fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    pub fn write(&mut self, arguments: std::fmt::Arguments) {
        // Writing to a String cannot fail.
        let _ = self.out.write_fmt(arguments);
    }

    pub fn number(&mut self, number: impl Into<u128>) {
        decimal(&mut self.out, number.into());
    }

    pub fn comma(&mut self, index: usize) {
        if index > 0 {
            self.text(", ");
        }
    }

    pub fn symbol(&mut self, symbol: Symbol) {
        self.text("@");
        name(&mut self.out, &self.unit.symbols[symbol].name);
    }

    pub fn block(&mut self, block: u32) {
        self.text("b");
        self.number(block);
    }

    /// The line that starts a block.
    pub fn label(&mut self, block: u32, branch: Option<Branch>) {
        self.block(block);
        self.text(":");
        if let Some(branch) = branch {
            self.text(" [");
            self.text(syntax::name_of(ORIGINS, branch.origin));
            self.text(" ");
            self.text(syntax::name_of(OUTCOMES, branch.outcome));
            self.text(" ");
            self.number(branch.condition);
            self.text("]");
        }
        self.text("\n");
    }

    /// The end of a command's line.
    pub fn loc(&mut self, loc: Loc) {
        self.text(" !");
        self.number(loc.as_u32());
        self.text("\n");
    }

    pub fn goto(&mut self, targets: impl Iterator<Item = u32>) {
        self.text("goto ");
        for (i, target) in targets.enumerate() {
            self.comma(i);
            self.block(target);
        }
    }

    pub fn assert(&mut self, check: Check) {
        self.text("assert ");
        self.text(check.name());
        self.text(" ");
    }

    pub fn result(&mut self, result: Option<Type>) {
        if let Some(ty) = result {
            self.text(" -> ");
            type_name(&mut self.out, ty);
        }
    }

    pub fn access(&mut self, access: &Access) {
        type_name(&mut self.out, access.ty);
        self.text(" ");
        self.class(access.class);
        self.text(if access.volatile { " volatile " } else { " " });
    }

    pub fn classes(&mut self, classes: &[Class]) {
        for (i, &class) in classes.iter().enumerate() {
            self.comma(i);
            self.class(class);
        }
    }

    /// What is known of a call, after its arguments.
    pub fn call_facts(&mut self, writes: Option<&[CallWrite]>, keeps: u64, arguments: usize) {
        if let Some(writes) = writes {
            self.text(" writes(");
            for (i, write) in writes.iter().enumerate() {
                self.comma(i);
                match write.base {
                    CallBase::Argument(argument) => {
                        self.text("argument ");
                        self.number(argument);
                    }
                    CallBase::Symbol(symbol) => self.symbol(symbol),
                    CallBase::Errno => self.text("errno"),
                    CallBase::Anywhere => self.text("anywhere"),
                    CallBase::Outside => self.text("outside"),
                }
                self.text(" ");
                self.class(write.class);
            }
            self.text(")");
        }
        if keeps != KEEPS_ALL {
            self.text(" keeps(");
            for (i, argument) in (0..arguments.min(64)).filter(|&i| is_kept(keeps, i)).enumerate() {
                self.comma(i);
                self.number(argument as u64);
            }
            self.text(")");
        }
    }

    fn class(&mut self, class: Class) {
        let ClassData { ty, field } = &self.unit.classes[class];
        self.text("#");
        if let Some(field) = field {
            part_name(&mut self.out, &field.record);
            self.text(".");
            part_name(&mut self.out, &field.name);
            let _ = write!(self.out, "@{}/", field.offset);
        }
        match ty {
            Some(ty) => type_name(&mut self.out, *ty),
            None => self.text("any"),
        }
    }

    pub fn unary(&mut self, op: UnaryOp, operand: E) {
        self.text(match op {
            UnaryOp::Not => "!",
            UnaryOp::Neg => "-",
            UnaryOp::FNeg => "-.",
        });
        self.work.push(Work::Operand(operand));
    }

    pub fn cast(&mut self, op: CastOp, ty: Type, operand: E) {
        self.text(syntax::cast_name(op));
        // The pointer bits do not matter: a cast to a pointer prints no width.
        if ty != Type::Ptr {
            self.number(ty.bits(0));
        }
        self.text("(");
        self.arguments(&[operand]);
    }

    pub fn binary(&mut self, op: BinaryOp, left: E, right: E) {
        self.work.push(Work::Operand(right));
        self.work.push(Work::Text(" "));
        self.work.push(Work::Text(syntax::binary_sign(op)));
        self.work.push(Work::Text(" "));
        self.work.push(Work::Operand(left));
    }

    /// The arguments and the parenthesis that closes them.
    pub fn arguments(&mut self, arguments: &[E]) {
        self.work.push(Work::Text(")"));
        for (i, &argument) in arguments.iter().enumerate().rev() {
            self.work.push(Work::Expr(argument));
            if i > 0 {
                self.work.push(Work::Text(", "));
            }
        }
    }
}

pub fn type_name(out: &mut String, ty: Type) {
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

pub fn constant(out: &mut String, ty: Type, bits: u128) {
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
fn decimal(out: &mut String, number: u128) {
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

pub fn name(out: &mut String, name: &str) {
    if syntax::is_plain(name) { out.push_str(name) } else { quoted_name(out, name) }
}

pub fn local_name(out: &mut String, name: &str) {
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

pub(crate) fn quoted_name(out: &mut String, name: &str) {
    out.push('"');
    for c in name.chars() {
        if c.is_ascii() { escaped(out, c as u8) } else { out.push(c) }
    }
    out.push('"');
}

pub fn quoted(out: &mut String, bytes: &[u8]) {
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
