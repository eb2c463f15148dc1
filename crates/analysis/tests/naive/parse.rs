//! Parses the text form of a program, with the abbreviations of section 2 for `if` and `while`.

use crate::store::Stores;
use crate::syntax::{Comparison, Expr, Function, Instruction, Path, Predicate, Program, Statement};

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

type Result<T> = std::result::Result<T, String>;

/// Parses a program; an error names the line.
pub fn parse(text: &str) -> Result<Source> {
    let tokens = tokens(text)?;
    let follows_fun = |at: &usize| at.checked_sub(1).is_some_and(|before| tokens[before].text == "fun");
    let functions = (0..tokens.len()).filter(follows_fun).map(|at| tokens[at].text).collect();
    Parser { tokens, at: 0, bits: 0, vars: Vec::new(), functions }.source()
}

struct Token<'a> {
    text: &'a str,
    line: usize,
}

const SIGNS: [&str; 19] =
    [":=", "==", "!=", "<=", ">=", "[]", "<", ">", ";", "!", "*", "{", "}", "(", ")", "+", "-", "/", ","];

fn tokens(text: &str) -> Result<Vec<Token<'_>>> {
    let mut tokens = Vec::new();
    for (index, whole) in text.lines().enumerate() {
        let line = index + 1;
        let mut rest = whole.trim_start();
        while !rest.is_empty() && !rest.starts_with("//") {
            let word = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            let length = match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
                Some(sign) => sign.len(),
                None if word > 0 => word,
                None => return Err(format!("line {line}: `{rest}` is not understood")),
            };
            tokens.push(Token { text: &rest[..length], line });
            rest = rest[length..].trim_start();
        }
    }
    Ok(tokens)
}

struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
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

impl<'a> Parser<'a> {
    fn source(mut self) -> Result<Source> {
        self.expect("bits")?;
        self.bits = self.number()?.unsigned_abs();
        if !(2..=4).contains(&self.bits) {
            return self.error("variables have 2 to 4 bits");
        }
        self.expect("var")?;
        self.vars = vec![self.word()?.to_owned()];
        while self.eat(",") {
            let name = self.word()?.to_owned();
            self.vars.push(name);
        }
        let (mut functions, mut lines) = (Vec::new(), Vec::new());
        while !self.peek().is_empty() {
            self.expect("fun")?;
            let name = self.line();
            let (function, branches) = self.function()?;
            functions.push(function);
            lines.push(Lines { name, branches });
        }
        Ok(Source { program: Program { bits: self.bits, vars: self.vars, functions }, lines })
    }

    fn function(&mut self) -> Result<(Function, Vec<(Path, usize)>)> {
        let name = self.word()?.to_owned();
        self.expect("(")?;
        self.expect(")")?;
        let requires = self.clause("requires")?;
        let ensures = self.clause("ensures")?;
        let raises = self.clause("raises")?;
        let Parsed { statement: body, branches } = self.block()?;
        Ok((Function { name, requires, ensures, raises, body }, branches))
    }

    /// A part of a specification; `true` where it is missing.
    fn clause(&mut self, keyword: &str) -> Result<Predicate> {
        if self.eat(keyword) { self.predicate() } else { Ok(Predicate::Constant(true)) }
    }

    fn block(&mut self) -> Result<Parsed> {
        self.expect("{")?;
        let statement = self.sequence()?;
        self.expect("}")?;
        Ok(statement)
    }

    fn sequence(&mut self) -> Result<Parsed> {
        let first = self.choice()?;
        if self.eat(";") { Ok(first.join(Statement::then, self.sequence()?)) } else { Ok(first) }
    }

    fn choice(&mut self) -> Result<Parsed> {
        let line = self.line();
        let first = self.handled()?;
        if !self.eat("[]") {
            return Ok(first);
        }
        let other_line = self.line();
        Ok(first.or(line, self.choice()?, other_line))
    }

    fn handled(&mut self) -> Result<Parsed> {
        let first = self.single()?;
        if self.eat("!") { Ok(first.join(Statement::handled_by, self.handled()?)) } else { Ok(first) }
    }

    fn single(&mut self) -> Result<Parsed> {
        if self.peek() == "{" {
            let mut statement = self.block()?;
            while self.eat("*") {
                statement = statement.repeated();
            }
            return Ok(statement);
        }
        let word = self.word()?;
        let instruction = match word {
            "skip" => return Ok(Parsed::leaf(Statement::Skip)),
            "raise" => return Ok(Parsed::leaf(Statement::Raise)),
            "if" => return self.conditional(),
            "while" => return self.while_loop(),
            "assert" => Instruction::Assert(self.predicate()?),
            "assume" => Instruction::Assume(self.predicate()?),
            "havoc" => Instruction::Havoc(self.var()?),
            _ if self.eat("(") => {
                self.expect(")")?;
                match self.functions.iter().position(|name| *name == word) {
                    Some(callee) => Instruction::Call(callee),
                    None => return self.error(&format!("there is no function `{word}`")),
                }
            }
            _ => {
                self.at -= 1;
                let var = self.var()?;
                self.expect(":=")?;
                Instruction::Assign(var, self.expr()?)
            }
        };
        Ok(Parsed::leaf(Statement::Do(instruction)))
    }

    /// `if P then s1 else s2` is `(assume P ; s1) [] (assume not P ; s2)`.
    fn conditional(&mut self) -> Result<Parsed> {
        let line = self.line();
        let condition = self.predicate()?;
        let assume = |p| Parsed::leaf(Statement::assume(p));
        let yes = assume(condition.clone()).join(Statement::then, self.block()?);
        let other_line = self.line();
        self.expect("else")?;
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
        if self.eat("and") {
            return Ok(Predicate::And(Box::new(first), Box::new(self.predicate()?)));
        }
        if self.eat("or") {
            return Ok(Predicate::Or(Box::new(first), Box::new(self.predicate()?)));
        }
        Ok(first)
    }

    fn single_predicate(&mut self) -> Result<Predicate> {
        for (word, holds) in [("true", true), ("false", false)] {
            if self.eat(word) {
                return Ok(Predicate::Constant(holds));
            }
        }
        if self.eat("not") {
            return Ok(Predicate::Not(Box::new(self.single_predicate()?)));
        }
        let start = self.at;
        // A parenthesis may begin an expression or a predicate.
        match self.comparison() {
            Ok(comparison) => Ok(comparison),
            Err(error) => {
                self.at = start;
                if !self.eat("(") {
                    return Err(error);
                }
                let inner = self.predicate()?;
                self.expect(")")?;
                Ok(inner)
            }
        }
    }

    fn comparison(&mut self) -> Result<Predicate> {
        let a = self.expr()?;
        match Comparison::ALL.into_iter().find(|comparison| self.eat(comparison.sign())) {
            Some(comparison) => Ok(Predicate::Compare(comparison, a, self.expr()?)),
            None => self.error("expected a comparison"),
        }
    }

    fn expr(&mut self) -> Result<Expr> {
        let mut left = self.product()?;
        loop {
            let make: fn(Box<Expr>, Box<Expr>) -> Expr = match self.peek() {
                "+" => Expr::Add,
                "-" => Expr::Sub,
                _ => return Ok(left),
            };
            self.at += 1;
            left = make(Box::new(left), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Result<Expr> {
        let mut left = self.operand()?;
        loop {
            if self.eat("*") {
                left = Expr::Mul(Box::new(left), Box::new(self.operand()?));
            } else if self.eat("/") {
                match self.operand()? {
                    Expr::Const(divisor) if self.can_divide(divisor) => {
                        left = Expr::Div(Box::new(left), divisor);
                    }
                    _ => {
                        return self
                            .error("only constants that a variable can hold, other than 0, can divide");
                    }
                }
            } else {
                return Ok(left);
            }
        }
    }

    fn operand(&mut self) -> Result<Expr> {
        if self.eat("(") {
            let inner = self.expr()?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.peek() == "-" || self.peek().starts_with(|c: char| c.is_ascii_digit()) {
            return Ok(Expr::Const(self.number()?));
        }
        Ok(Expr::Var(self.var()?))
    }

    fn can_divide(&self, divisor: i32) -> bool {
        let stores = Stores { vars: self.vars.len(), bits: self.bits };
        divisor != 0 && stores.values().contains(&divisor)
    }

    fn number(&mut self) -> Result<i32> {
        let sign = if self.eat("-") { -1 } else { 1 };
        match self.peek().parse::<i32>() {
            Ok(number) if number <= 16 => {
                self.at += 1;
                Ok(sign * number)
            }
            _ => self.error("expected a number up to 16"),
        }
    }

    fn var(&mut self) -> Result<usize> {
        let name = self.word()?;
        match self.vars.iter().position(|var| var == name) {
            Some(var) => Ok(var),
            None => self.error(&format!("there is no variable `{name}`")),
        }
    }

    fn word(&mut self) -> Result<&'a str> {
        let Some(token) = self.tokens.get(self.at) else { return self.error("the text ends too early") };
        let word = token.text;
        if !word.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return self.error(&format!("expected a word, not `{word}`"));
        }
        self.at += 1;
        Ok(word)
    }

    /// The next token; empty at the end.
    fn peek(&self) -> &'a str {
        self.tokens.get(self.at).map_or("", |token| token.text)
    }

    fn eat(&mut self, text: &str) -> bool {
        let is_next = self.peek() == text;
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, text: &str) -> Result<()> {
        if self.eat(text) { Ok(()) } else { self.error(&format!("expected `{text}`, not `{}`", self.peek())) }
    }

    fn line(&self) -> usize {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |token| token.line)
    }

    fn error<T>(&self, message: &str) -> Result<T> {
        Err(format!("line {}: {message}", self.line()))
    }
}
