//! Translates a structured program into the text form of guarded commands.
//!
//! Every branch of a choice becomes an edge block; raising is a goto to the handler, or the end `raise`; loops
//! are cycles; a call is replaced by its specification (Figure 4). All variables are parameters, since the paper
//! starts from any store.
//!
//! The outcomes of one condition of gc exclude each other. So do the branches of an `if`; those of any other
//! choice are distinguished by a havocked variable.

use crate::syntax::{Expr, Instruction, Path, Predicate, Program, Statement, below};
use std::fmt::Write;

pub struct Translation {
    /// A unit with one function, to be read by `gainsay_ir::parse`.
    pub text: String,
    /// The paths of the choices, by the number of their condition; the first branch is the outcome `true`.
    pub choices: Vec<Path>,
}

pub fn translate(program: &Program, function: usize) -> Translation {
    let mut translator = Translator { program, blocks: Vec::new(), choices: Vec::new() };
    let entry = translator.block(None);
    let raised = translator.block(None);
    let body = &program.functions[function].body;
    let end = translator.statement(body, &[], Place { block: entry, handler: raised });
    translator.line(end, "return");
    translator.line(raised, "raise");

    let list =
        |what: &dyn Fn(&String) -> String| program.vars.iter().map(what).collect::<Vec<_>>().join(", ");
    let (types, params) =
        (list(&|_| format!("i{}", program.bits)), list(&|name| format!("{name}: i{}", program.bits)));
    let mut text = format!("target ptr64 little\nfunction @f({types}) external\n\nfunc @f({params}) {{\n");
    for condition in 0..translator.choices.len() {
        let _ = writeln!(text, "  tmp choice{condition}: bool");
    }
    translator.blocks.iter().for_each(|block| text.push_str(block));
    text.push_str("}\n");
    Translation { text, choices: translator.choices }
}

struct Translator<'a> {
    program: &'a Program,
    /// The text of each. Writing to a String cannot fail.
    blocks: Vec<String>,
    choices: Vec<Path>,
}

/// The target of a statement.
#[derive(Clone, Copy)]
struct Place {
    block: usize,
    /// Where to go when it raises.
    handler: usize,
}

impl Translator<'_> {
    /// Appends the statement to an open block. Returns the block in which a normal end continues.
    fn statement(&mut self, s: &Statement, at: &[usize], Place { block, handler }: Place) -> usize {
        match s {
            Statement::Skip => block,
            Statement::Raise => {
                self.goto(block, &[handler]);
                self.block(None)
            }
            Statement::Do(Instruction::Call(callee)) => {
                let meaning = self.program.meaning_of_call(*callee);
                self.call(&meaning, Place { block, handler })
            }
            Statement::Do(instruction) => {
                self.instruction(block, instruction);
                block
            }
            Statement::Seq(s1, s2) => {
                let block = self.statement(s1, &below(at, 0), Place { block, handler });
                self.statement(s2, &below(at, 1), Place { block, handler })
            }
            Statement::Handle(s1, s2) => {
                let raised = self.block(None);
                let end = self.statement(s1, &below(at, 0), Place { block, handler: raised });
                let handled = self.statement(s2, &below(at, 1), Place { block: raised, handler });
                self.join(&[end, handled])
            }
            Statement::Choice(s1, s2) => {
                let condition = self.choices.len();
                self.choices.push(at.to_vec());
                let yes = self.block(Some(format!("[if true {condition}]")));
                let no = self.block(Some(format!("[if false {condition}]")));
                if !self.exclude_each_other(s1, s2) {
                    self.line(block, &format!("havoc choice{condition}"));
                    self.line(yes, &format!("assume choice{condition}"));
                    self.line(no, &format!("assume !choice{condition}"));
                }
                self.goto(block, &[yes, no]);
                let yes = self.statement(s1, &below(at, 0), Place { block: yes, handler });
                let no = self.statement(s2, &below(at, 1), Place { block: no, handler });
                self.join(&[yes, no])
            }
            Statement::Loop(body) => {
                let (head, first, after) = (self.block(None), self.block(None), self.block(None));
                self.goto(block, &[head]);
                self.goto(head, &[first, after]);
                let again = self.statement(body, &below(at, 0), Place { block: first, handler });
                self.goto(again, &[head]);
                after
            }
        }
    }

    /// Like `statement`, for a choice that is no branch of the program.
    fn call(&mut self, s: &Statement, Place { block, handler }: Place) -> usize {
        match s {
            Statement::Seq(s1, s2) => {
                let block = self.call(s1, Place { block, handler });
                self.call(s2, Place { block, handler })
            }
            Statement::Choice(s1, s2) => {
                let (yes, no) = (self.block(None), self.block(None));
                self.goto(block, &[yes, no]);
                let ends = [
                    self.call(s1, Place { block: yes, handler }),
                    self.call(s2, Place { block: no, handler }),
                ];
                self.join(&ends)
            }
            _ => self.statement(s, &[], Place { block, handler }),
        }
    }

    /// Do both start with assumptions that hold in no common store?
    fn exclude_each_other(&self, s1: &Statement, s2: &Statement) -> bool {
        let stores = self.program.stores();
        let both = |p: &Predicate, q: &Predicate| {
            stores.all().any(|store| p.holds(&stores, store) && q.holds(&stores, store))
        };
        guard(s1).zip(guard(s2)).is_some_and(|(p, q)| !both(p, q))
    }

    fn instruction(&mut self, block: usize, instruction: &Instruction) {
        let vars = &self.program.vars;
        let line = match instruction {
            Instruction::Assign(x, e) => format!("{} = {}", vars[*x], self.expr(e)),
            Instruction::Havoc(x) => format!("havoc {}", vars[*x]),
            Instruction::Assume(p) => format!("assume {}", self.predicate(p)),
            // A kind of check for which the engine looks at boundaries.
            Instruction::Assert(p) => format!("assert bounds {}", self.predicate(p)),
            Instruction::Call(_) => unreachable!("calls are replaced by their meaning"),
        };
        self.line(block, &line);
    }

    fn expr(&self, e: &Expr) -> String {
        let infix = |a: &Expr, sign: &str, b: &Expr| format!("({} {sign} {})", self.expr(a), self.expr(b));
        match e {
            Expr::Const(constant) => {
                format!("{}i{}", constant & ((1 << self.program.bits) - 1), self.program.bits)
            }
            Expr::Var(var) => self.program.vars[*var].clone(),
            Expr::Add(a, b) => infix(a, "+", b),
            Expr::Sub(a, b) => infix(a, "-", b),
            Expr::Mul(a, b) => infix(a, "*", b),
            Expr::Div(a, divisor) => infix(a, "/s", &Expr::Const(*divisor)),
        }
    }

    fn predicate(&self, p: &Predicate) -> String {
        use crate::syntax::Comparison::{Eq, Ge, Gt, Le, Lt, Ne};
        match p {
            Predicate::Constant(holds) => holds.to_string(),
            Predicate::Compare(comparison, a, b) => {
                let (sign, a, b) = match comparison {
                    Eq => ("==", a, b),
                    Ne => ("!=", a, b),
                    Lt => ("<s", a, b),
                    Le => ("<=s", a, b),
                    Gt => ("<s", b, a),
                    Ge => ("<=s", b, a),
                };
                format!("({} {sign} {})", self.expr(a), self.expr(b))
            }
            Predicate::Not(a) => format!("!{}", self.predicate(a)),
            Predicate::And(a, b) => format!("({} & {})", self.predicate(a), self.predicate(b)),
            Predicate::Or(a, b) => format!("({} | {})", self.predicate(a), self.predicate(b)),
        }
    }

    fn block(&mut self, branch: Option<String>) -> usize {
        let number = self.blocks.len();
        self.blocks.push(format!("b{number}: {}\n", branch.unwrap_or_default()));
        number
    }

    /// A new block that follows all of these.
    fn join(&mut self, ends: &[usize]) -> usize {
        let block = self.block(None);
        ends.iter().for_each(|&end| self.goto(end, &[block]));
        block
    }

    fn goto(&mut self, block: usize, targets: &[usize]) {
        let targets: Vec<String> = targets.iter().map(|target| format!("b{target}")).collect();
        self.line(block, &format!("goto {}", targets.join(", ")));
    }

    fn line(&mut self, block: usize, line: &str) {
        let _ = writeln!(self.blocks[block], "  {line}");
    }
}

/// The assumption that the statement starts with.
fn guard(s: &Statement) -> Option<&Predicate> {
    match s {
        Statement::Do(Instruction::Assume(p)) => Some(p),
        Statement::Seq(s1, _) => guard(s1),
        _ => None,
    }
}
