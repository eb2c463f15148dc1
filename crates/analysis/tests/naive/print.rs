//! The text form of a program; it can be parsed again.
//!
//! `;` binds least, then `[]`, then `!`, then `*`; binary operators are right-associative.

use crate::syntax::{Expr, Function, Instruction, Predicate, Program, Statement};
use std::fmt::{self, Display, Formatter, Write};

impl Display for Program {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        writeln!(f, "bits {}", self.bits)?;
        writeln!(f, "var {}", self.vars.join(", "))?;
        for Function { name, requires, ensures, raises, body } in &self.functions {
            let predicate = |p| Printed { program: self, what: p };
            let (requires, ensures, raises) = (predicate(requires), predicate(ensures), predicate(raises));
            writeln!(f, "\nfun {name}()\n  requires {requires}\n  ensures {ensures}\n  raises {raises}\n{{")?;
            writeln!(f, "  {}\n}}", Indented { program: self, statement: body, depth: 1, binding: SEQ })?;
        }
        Ok(())
    }
}

/// Makes failing cases of property tests readable.
impl fmt::Debug for Program {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

const SEQ: u8 = 0;
const CHOICE: u8 = 1;
const HANDLE: u8 = 2;
const LOOP: u8 = 3;

/// A statement where everything that binds less than `binding` needs braces.
struct Indented<'a> {
    program: &'a Program,
    statement: &'a Statement,
    depth: usize,
    binding: u8,
}

impl Display for Indented<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let own = match self.statement {
            Statement::Seq(..) => SEQ,
            Statement::Choice(..) => CHOICE,
            Statement::Handle(..) => HANDLE,
            _ => LOOP,
        };
        if own < self.binding {
            let inner = Indented { depth: self.depth + 1, binding: SEQ, ..*self };
            return write!(f, "{{{}{inner}{}}}", NewLine(self.depth + 1), NewLine(self.depth));
        }
        let line = NewLine(self.depth);
        let side = |statement, binding| Indented { statement, binding, ..*self };
        match self.statement {
            Statement::Do(instruction) => Printed { program: self.program, what: instruction }.fmt(f),
            Statement::Skip => f.write_str("skip"),
            Statement::Raise => f.write_str("raise"),
            Statement::Seq(a, b) => write!(f, "{};{line}{}", side(a, CHOICE), side(b, SEQ)),
            Statement::Choice(a, b) => write!(f, "{}{line}[] {}", side(a, HANDLE), side(b, CHOICE)),
            Statement::Handle(a, b) => write!(f, "{} ! {}", side(a, LOOP), side(b, HANDLE)),
            // Always in braces: a `*` after an expression would multiply.
            Statement::Loop(body) => write!(f, "{}*", side(body, LOOP + 1)),
        }
    }
}

struct NewLine(usize);

impl Display for NewLine {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(f, "\n{:width$}", "", width = 2 * self.0)
    }
}

struct Printed<'a, T> {
    program: &'a Program,
    what: &'a T,
}

impl<T> Printed<'_, T> {
    fn of<'b, U>(&'b self, what: &'b U) -> Printed<'b, U> {
        Printed { program: self.program, what }
    }
}

impl Display for Printed<'_, Instruction> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let vars = &self.program.vars;
        match self.what {
            Instruction::Assign(x, e) => write!(f, "{} := {}", vars[*x], self.of(e)),
            Instruction::Assert(p) => write!(f, "assert {}", self.of(p)),
            Instruction::Assume(p) => write!(f, "assume {}", self.of(p)),
            Instruction::Call(callee) => write!(f, "{}()", self.program.functions[*callee].name),
            Instruction::Havoc(x) => write!(f, "havoc {}", vars[*x]),
        }
    }
}

impl Display for Printed<'_, Predicate> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self.what {
            Predicate::Constant(holds) => write!(f, "{holds}"),
            Predicate::Compare(comparison, a, b) => {
                write!(f, "{} {} {}", self.of(a), comparison.sign(), self.of(b))
            }
            Predicate::Not(a) => write!(f, "not ({})", self.of(&**a)),
            Predicate::And(a, b) => write!(f, "({}) and ({})", self.of(&**a), self.of(&**b)),
            Predicate::Or(a, b) => write!(f, "({}) or ({})", self.of(&**a), self.of(&**b)),
        }
    }
}

impl Display for Printed<'_, Expr> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let mut infix = |a: &Expr, sign: char, b: &Expr| {
            operand(f, self.of(a))?;
            write!(f, " {sign} ")?;
            operand(f, self.of(b))
        };
        match self.what {
            Expr::Const(constant) => write!(f, "{constant}"),
            Expr::Var(var) => f.write_str(&self.program.vars[*var]),
            Expr::Add(a, b) => infix(a, '+', b),
            Expr::Sub(a, b) => infix(a, '-', b),
            Expr::Mul(a, b) => infix(a, '*', b),
            Expr::Div(a, divisor) => infix(a, '/', &Expr::Const(*divisor)),
        }
    }
}

fn operand(f: &mut Formatter, expr: Printed<Expr>) -> fmt::Result {
    match expr.what {
        Expr::Const(_) | Expr::Var(_) => expr.fmt(f),
        _ => {
            f.write_char('(')?;
            expr.fmt(f)?;
            f.write_char(')')
        }
    }
}
