//! Reads the text form of a program.

use crate::syntax::{Block, Comparison, Expr, Function, Predicate, Program, Statement};

type Result<T> = std::result::Result<T, String>;

/// The program, or what is wrong on which line.
pub fn parse(text: &str) -> Result<Program> {
    let program = Parser { tokens: tokens(text, 1)?, at: 0 }.program()?;
    for function in &program.functions {
        check_calls(&program, &function.body, &mut vec![&function.name])?;
    }
    Ok(program)
}

/// A predicate that stands alone, in an expectation.
pub fn parse_predicate(text: &str, line: usize) -> Result<Predicate> {
    let mut parser = Parser { tokens: tokens(text, line)?, at: 0 };
    let predicate = parser.predicate()?;
    if parser.peek().is_empty() { Ok(predicate) } else { parser.error("expected the end") }
}

/// Calls are of functions that exist, with as many arguments as they want, and never recursive: the paper says nothing of
/// recursion.
fn check_calls<'a>(program: &'a Program, block: &'a Block, callers: &mut Vec<&'a str>) -> Result<()> {
    for statement in block {
        if let Statement::Call { callee, arguments, .. } = statement {
            let Some(function) = program.functions.iter().find(|function| function.name == *callee) else {
                return Err(format!("there is no function `{callee}`"));
            };
            if function.params.len() != arguments.len() || callers.contains(&callee.as_str()) {
                return Err(format!("`{callee}` is called recursively or with a wrong number of arguments"));
            }
            callers.push(callee);
            check_calls(program, &function.body, callers)?;
            callers.pop();
        }
        for part in crate::graph::parts(statement) {
            check_calls(program, part, callers)?;
        }
    }
    Ok(())
}

struct Token<'a> {
    text: &'a str,
    line: usize,
}

const SIGNS: [&str; 19] =
    ["..", "==", "!=", "<=", ">=", "<", ">", "=", ";", ":", "!", "{", "}", "(", ")", "+", "-", ",", "*"];

fn tokens(text: &str, first_line: usize) -> Result<Vec<Token<'_>>> {
    let mut tokens = Vec::new();
    for (index, whole) in text.lines().enumerate() {
        let line = index + first_line;
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
}

impl<'a> Parser<'a> {
    fn program(mut self) -> Result<Program> {
        self.expect("values")?;
        let first = self.number()?;
        self.expect("..")?;
        let values = first..=self.number()?;
        let unroll = if self.eat("unroll") { self.number()? } else { 0 };
        let globals = if self.eat("global") { self.names()? } else { Vec::new() };
        let mut functions = Vec::new();
        while !self.peek().is_empty() {
            functions.push(self.function()?);
        }
        let unroll = usize::try_from(unroll).map_err(|_| "`unroll` is negative".to_owned())?;
        Ok(Program { values, unroll, globals, functions })
    }

    fn function(&mut self) -> Result<Function> {
        self.expect("fun")?;
        let line = self.line();
        let name = self.word()?.to_owned();
        self.expect("(")?;
        let params = if self.peek() == ")" { Vec::new() } else { self.names()? };
        self.expect(")")?;
        Ok(Function { name, line, params, body: self.block()? })
    }

    fn names(&mut self) -> Result<Vec<String>> {
        let mut names = vec![self.word()?.to_owned()];
        while self.eat(",") {
            names.push(self.word()?.to_owned());
        }
        Ok(names)
    }

    fn block(&mut self) -> Result<Block> {
        self.expect("{")?;
        let mut block = Vec::new();
        while !self.eat("}") {
            block.push(self.statement()?);
        }
        Ok(block)
    }

    fn statement(&mut self) -> Result<Statement> {
        let line = self.line();
        let word = self.word()?;
        let statement = match word {
            "if" => return self.cascade(),
            "switch" => return self.switch(),
            "while" => {
                let condition = self.condition()?;
                return Ok(Statement::Loop { condition, body: self.block()?, body_first: false });
            }
            "macro" => return Ok(Statement::Macro(self.block()?)),
            "alias" => {
                self.expect("(")?;
                let first = self.word()?.to_owned();
                self.expect("==")?;
                let pointers = (first, self.word()?.to_owned());
                self.expect(")")?;
                let same = self.block()?;
                self.expect("else")?;
                return Ok(Statement::Alias { pointers, same, separate: self.block()? });
            }
            "do" => {
                let body = self.block()?;
                self.expect("while")?;
                Statement::Loop { condition: self.condition()?, body, body_first: true }
            }
            "local" => Statement::Local(self.word()?.to_owned()),
            "break" => Statement::Break,
            "abort" => Statement::Abort(line),
            "assert" => Statement::Assert(self.predicate()?, line),
            "admits" => Statement::Admits(self.predicate()?),
            "return" if self.peek() == ";" => Statement::Return(None),
            "return" => Statement::Return(Some(self.expr()?)),
            _ if self.peek() == "(" => self.call(None, word)?,
            _ => {
                self.expect("=")?;
                let is_call = self.tokens.get(self.at + 1).is_some_and(|token| token.text == "(");
                if is_call {
                    let callee = self.word()?;
                    self.call(Some(word.to_owned()), callee)?
                } else {
                    Statement::Assign(word.to_owned(), self.expr()?)
                }
            }
        };
        self.expect(";")?;
        Ok(statement)
    }

    fn call(&mut self, result: Option<String>, callee: &str) -> Result<Statement> {
        self.expect("(")?;
        let mut arguments = Vec::new();
        while !self.eat(")") {
            arguments.push(self.expr()?);
            if self.peek() != ")" {
                self.expect(",")?;
            }
        }
        Ok(Statement::Call { result, callee: callee.to_owned(), arguments })
    }

    fn cascade(&mut self) -> Result<Statement> {
        let mut arms = vec![(self.condition()?, self.block()?)];
        while self.eat("else") {
            if !self.eat("if") {
                return Ok(Statement::If { arms, last: Some(self.block()?) });
            }
            arms.push((self.condition()?, self.block()?));
        }
        Ok(Statement::If { arms, last: None })
    }

    fn switch(&mut self) -> Result<Statement> {
        self.expect("(")?;
        let subject = self.expr()?;
        self.expect(")")?;
        self.expect("{")?;
        let (mut cases, mut default) = (Vec::new(), None);
        while !self.eat("}") {
            if self.eat("default") {
                self.expect(":")?;
                default = Some(self.block()?);
            } else {
                self.expect("case")?;
                let value = self.number()?;
                self.expect(":")?;
                cases.push((value, self.block()?));
            }
        }
        Ok(Statement::Switch { subject, cases, default })
    }

    /// One comparison, or `true`: `and` and `or` would be branches of their own.
    fn condition(&mut self) -> Result<Predicate> {
        self.expect("(")?;
        let condition = if self.eat("true") { Predicate::Constant(true) } else { self.comparison()? };
        self.expect(")")?;
        Ok(condition)
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
        if self.eat("initialized") {
            self.expect("(")?;
            let name = self.word()?.to_owned();
            self.expect(")")?;
            return Ok(Predicate::Initialized(name));
        }
        if self.eat("false") {
            return Ok(Predicate::Constant(false));
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Result<Predicate> {
        let a = self.expr()?;
        match Comparison::ALL.into_iter().find(|comparison| self.eat(comparison.sign())) {
            Some(comparison) => Ok(Predicate::Compare(comparison, a, self.expr()?)),
            None => self.error("expected a comparison"),
        }
    }

    fn expr(&mut self) -> Result<Expr> {
        let mut left = self.atom()?;
        loop {
            let make = match self.peek() {
                "+" => Expr::Add,
                "-" => Expr::Sub,
                _ => return Ok(left),
            };
            self.at += 1;
            left = make(Box::new(left), Box::new(self.atom()?));
        }
    }

    fn atom(&mut self) -> Result<Expr> {
        let starts_number = |text: &str| text == "-" || text.starts_with(|c: char| c.is_ascii_digit());
        if starts_number(self.peek()) {
            return Ok(Expr::Const(self.number()?));
        }
        Ok(Expr::Var(self.word()?.to_owned()))
    }

    fn number(&mut self) -> Result<i64> {
        let is_negative = self.eat("-");
        match self.peek().parse::<i64>() {
            Ok(number) => {
                self.at += 1;
                Ok(if is_negative { -number } else { number })
            }
            Err(_) => self.error("expected a number"),
        }
    }

    fn word(&mut self) -> Result<&'a str> {
        let word = self.peek();
        if word.starts_with(|c: char| c.is_ascii_alphabetic()) {
            self.at += 1;
            return Ok(word);
        }
        self.error("expected a word")
    }

    fn peek(&self) -> &'a str {
        self.tokens.get(self.at).map_or("", |token| token.text)
    }

    fn eat(&mut self, text: &str) -> bool {
        let is_next = self.peek() == text;
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, text: &str) -> Result<()> {
        if self.eat(text) { Ok(()) } else { self.error(&format!("expected `{text}`")) }
    }

    fn line(&self) -> usize {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(0, |token| token.line)
    }

    fn error<T>(&self, what: &str) -> Result<T> {
        Err(format!("line {}: {what}, not `{}`", self.line(), self.peek()))
    }
}
