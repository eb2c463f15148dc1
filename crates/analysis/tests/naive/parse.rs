//! Parses the text form of a program, with the abbreviations of section 2 for `if` and `while`.

use crate::store::Stores;
use crate::syntax::{Comparison, Expr, Function, Instruction, Path, Predicate, Program, Statement};
use crate::tokens::{Result, Tokens};

/// A program and its lines in the text.
pub struct Source {
    pub program: Program,
    /// For every function the line of its name, and the line on which each branch of a choice begins.
    pub lines: Vec<Lines>,
}

pub struct Lines {
    pub name: usize,
    pub branches: Vec<(Path, usize)>,
}

/// Parses a program; an error names the line.
pub fn parse(text: &str) -> Result<Source> {
    let tokens = Tokens::new(text, 1, &SIGNS)?;
    let definitions = tokens.all.windows(2).filter(|pair| pair[0].text == "fun");
    let functions = definitions.map(|pair| pair[1].text).collect();
    Parser { tokens, bits: 0, vars: Vec::new(), functions }.source()
}

const SIGNS: [&str; 19] =
    [":=", "==", "!=", "<=", ">=", "[]", "<", ">", ";", "!", "*", "{", "}", "(", ")", "+", "-", "/", ","];

struct Parser<'a> {
    tokens: Tokens<'a>,
    bits: u32,
    vars: Vec<String>,
    functions: Vec<&'a str>,
}

/// A statement and the lines of the branches in it.
struct Parsed {
    statement: Statement,
    branches: Vec<(Path, usize)>,
}

impl Parsed {
    fn leaf(statement: Statement) -> Parsed {
        Parsed { statement, branches: Vec::new() }
    }

    fn join(self, make: fn(Statement, Statement) -> Statement, other: Parsed) -> Parsed {
        let under = |child: usize, branches: Vec<(Path, usize)>| {
            branches.into_iter().map(move |(path, line)| ([vec![child], path].concat(), line))
        };
        let branches = under(0, self.branches).chain(under(1, other.branches)).collect();
        Parsed { statement: make(self.statement, other.statement), branches }
    }

    /// `self [] other`, whose branches begin on these lines.
    fn or(self, line: usize, other: Parsed, other_line: usize) -> Parsed {
        let mut joined = self.join(Statement::or, other);
        joined.branches.extend([(vec![0], line), (vec![1], other_line)]);
        joined
    }

    fn repeated(self) -> Parsed {
        let branches = self.branches.into_iter().map(|(path, line)| ([vec![0], path].concat(), line));
        Parsed { branches: branches.collect(), statement: self.statement.repeated() }
    }
}

impl Parser<'_> {
    fn source(mut self) -> Result<Source> {
        self.tokens.expect("bits")?;
        self.bits = self.small_number()?.unsigned_abs();
        if !(2..=4).contains(&self.bits) {
            return self.tokens.error("variables have 2 to 4 bits");
        }
        self.tokens.expect("var")?;
        self.vars = vec![self.tokens.word()?.to_owned()];
        while self.tokens.eat(",") {
            let name = self.tokens.word()?.to_owned();
            self.vars.push(name);
        }
        let (mut functions, mut lines) = (Vec::new(), Vec::new());
        while !self.tokens.peek().is_empty() {
            self.tokens.expect("fun")?;
            let name = self.tokens.line();
            let (function, branches) = self.function()?;
            functions.push(function);
            lines.push(Lines { name, branches });
        }
        Ok(Source { program: Program { bits: self.bits, vars: self.vars, functions }, lines })
    }

    fn function(&mut self) -> Result<(Function, Vec<(Path, usize)>)> {
        let name = self.tokens.word()?.to_owned();
        self.tokens.expect("(")?;
        self.tokens.expect(")")?;
        let requires = self.clause("requires")?;
        let ensures = self.clause("ensures")?;
        let raises = self.clause("raises")?;
        let Parsed { statement: body, branches } = self.block()?;
        Ok((Function { name, requires, ensures, raises, body }, branches))
    }

    /// A part of a specification; `true` where it is missing.
    fn clause(&mut self, keyword: &str) -> Result<Predicate> {
        if self.tokens.eat(keyword) { self.predicate() } else { Ok(Predicate::Constant(true)) }
    }

    fn block(&mut self) -> Result<Parsed> {
        self.tokens.expect("{")?;
        let statement = self.sequence()?;
        self.tokens.expect("}")?;
        Ok(statement)
    }

    fn sequence(&mut self) -> Result<Parsed> {
        let first = self.choice()?;
        if self.tokens.eat(";") { Ok(first.join(Statement::then, self.sequence()?)) } else { Ok(first) }
    }

    fn choice(&mut self) -> Result<Parsed> {
        let line = self.tokens.line();
        let first = self.handled()?;
        if !self.tokens.eat("[]") {
            return Ok(first);
        }
        let other_line = self.tokens.line();
        Ok(first.or(line, self.choice()?, other_line))
    }

    fn handled(&mut self) -> Result<Parsed> {
        let first = self.single()?;
        if self.tokens.eat("!") { Ok(first.join(Statement::handled_by, self.handled()?)) } else { Ok(first) }
    }

    fn single(&mut self) -> Result<Parsed> {
        if self.tokens.peek() == "{" {
            let mut statement = self.block()?;
            while self.tokens.eat("*") {
                statement = statement.repeated();
            }
            return Ok(statement);
        }
        let word = self.tokens.word()?;
        let instruction = match word {
            "skip" => return Ok(Parsed::leaf(Statement::Skip)),
            "raise" => return Ok(Parsed::leaf(Statement::Raise)),
            "if" => return self.conditional(),
            "while" => return self.while_loop(),
            "assert" => Instruction::Assert(self.predicate()?),
            "assume" => Instruction::Assume(self.predicate()?),
            "havoc" => Instruction::Havoc(self.var()?),
            _ if self.tokens.eat("(") => {
                self.tokens.expect(")")?;
                match self.functions.iter().position(|name| *name == word) {
                    Some(callee) => Instruction::Call(callee),
                    None => return self.tokens.error(&format!("there is no function `{word}`")),
                }
            }
            _ => {
                self.tokens.at -= 1;
                let var = self.var()?;
                self.tokens.expect(":=")?;
                Instruction::Assign(var, self.expr()?)
            }
        };
        Ok(Parsed::leaf(Statement::Do(instruction)))
    }

    /// `if P then s1 else s2` is `(assume P ; s1) [] (assume not P ; s2)`.
    fn conditional(&mut self) -> Result<Parsed> {
        let line = self.tokens.line();
        let condition = self.predicate()?;
        let assume = |p| Parsed::leaf(Statement::assume(p));
        let yes = assume(condition.clone()).join(Statement::then, self.block()?);
        let other_line = self.tokens.line();
        self.tokens.expect("else")?;
        let no = assume(condition.negated()).join(Statement::then, self.block()?);
        Ok(yes.or(line, no, other_line))
    }

    /// `while P do s` is `(assume P ; s)* ; assume not P`.
    fn while_loop(&mut self) -> Result<Parsed> {
        let condition = self.predicate()?;
        let assume = |p| Parsed::leaf(Statement::assume(p));
        let iteration = assume(condition.clone()).join(Statement::then, self.block()?);
        Ok(iteration.repeated().join(Statement::then, assume(condition.negated())))
    }

    fn predicate(&mut self) -> Result<Predicate> {
        let first = self.single_predicate()?;
        if self.tokens.eat("and") {
            return Ok(Predicate::And(Box::new(first), Box::new(self.predicate()?)));
        }
        if self.tokens.eat("or") {
            return Ok(Predicate::Or(Box::new(first), Box::new(self.predicate()?)));
        }
        Ok(first)
    }

    fn single_predicate(&mut self) -> Result<Predicate> {
        for (word, holds) in [("true", true), ("false", false)] {
            if self.tokens.eat(word) {
                return Ok(Predicate::Constant(holds));
            }
        }
        if self.tokens.eat("not") {
            return Ok(Predicate::Not(Box::new(self.single_predicate()?)));
        }
        let start = self.tokens.at;
        // A parenthesis may begin an expression or a predicate.
        match self.comparison() {
            Ok(comparison) => Ok(comparison),
            Err(error) => {
                self.tokens.at = start;
                if !self.tokens.eat("(") {
                    return Err(error);
                }
                let inner = self.predicate()?;
                self.tokens.expect(")")?;
                Ok(inner)
            }
        }
    }

    fn comparison(&mut self) -> Result<Predicate> {
        let a = self.expr()?;
        match Comparison::ALL.into_iter().find(|comparison| self.tokens.eat(comparison.sign())) {
            Some(comparison) => Ok(Predicate::Compare(comparison, a, self.expr()?)),
            None => self.tokens.error("expected a comparison"),
        }
    }

    fn expr(&mut self) -> Result<Expr> {
        let mut left = self.product()?;
        loop {
            let make: fn(Box<Expr>, Box<Expr>) -> Expr = match self.tokens.peek() {
                "+" => Expr::Add,
                "-" => Expr::Sub,
                _ => return Ok(left),
            };
            self.tokens.at += 1;
            left = make(Box::new(left), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Result<Expr> {
        let mut left = self.operand()?;
        loop {
            if self.tokens.eat("*") {
                left = Expr::Mul(Box::new(left), Box::new(self.operand()?));
            } else if self.tokens.eat("/") {
                match self.operand()? {
                    Expr::Const(divisor) if self.can_divide(divisor) => {
                        left = Expr::Div(Box::new(left), divisor);
                    }
                    _ => {
                        return self
                            .tokens
                            .error("only constants that a variable can hold, other than 0, can divide");
                    }
                }
            } else {
                return Ok(left);
            }
        }
    }

    fn operand(&mut self) -> Result<Expr> {
        if self.tokens.eat("(") {
            let inner = self.expr()?;
            self.tokens.expect(")")?;
            return Ok(inner);
        }
        if self.tokens.peek() == "-" || self.tokens.peek().starts_with(|c: char| c.is_ascii_digit()) {
            return Ok(Expr::Const(self.small_number()?));
        }
        Ok(Expr::Var(self.var()?))
    }

    fn can_divide(&self, divisor: i32) -> bool {
        let stores = Stores { vars: self.vars.len(), bits: self.bits };
        divisor != 0 && stores.values().contains(&divisor)
    }

    fn small_number(&mut self) -> Result<i32> {
        match i32::try_from(self.tokens.number()?) {
            Ok(number) if number.abs() <= 16 => Ok(number),
            _ => self.tokens.error("expected a number up to 16"),
        }
    }

    fn var(&mut self) -> Result<usize> {
        let name = self.tokens.word()?;
        match self.vars.iter().position(|var| var == name) {
            Some(var) => Ok(var),
            None => self.tokens.error(&format!("there is no variable `{name}`")),
        }
    }
}
