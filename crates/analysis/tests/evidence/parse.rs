//! Parser of the toy language.

use crate::syntax::{Block, Comparison, Expr, Function, Predicate, Program, Statement};
use crate::tokens::{Result, Tokens};

/// The program, or an error with its line.
pub fn parse(text: &str) -> Result<Program> {
    let program = Parser { tokens: Tokens::new(text, 1, &SIGNS)? }.program()?;
    for function in &program.functions {
        check_calls(&program, &function.body, &mut vec![&function.name])?;
    }
    Ok(program)
}

/// A predicate on its own, in an expectation.
pub fn parse_predicate(text: &str, line: usize) -> Result<Predicate> {
    let mut parser = Parser { tokens: Tokens::new(text, line, &SIGNS)? };
    let predicate = parser.predicate()?;
    if parser.tokens.peek().is_empty() { Ok(predicate) } else { parser.tokens.error("expected the end") }
}

/// Checks that called functions exist, have as many parameters, and are not recursive, which the paper does not treat.
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

const SIGNS: [&str; 19] =
    ["..", "==", "!=", "<=", ">=", "<", ">", "=", ";", ":", "!", "{", "}", "(", ")", "+", "-", ",", "*"];

struct Parser<'a> {
    tokens: Tokens<'a>,
}

impl Parser<'_> {
    fn program(mut self) -> Result<Program> {
        self.tokens.expect("values")?;
        let first = self.tokens.number()?;
        self.tokens.expect("..")?;
        let values = first..=self.tokens.number()?;
        let unroll = if self.tokens.eat("unroll") { self.tokens.number()? } else { 0 };
        let globals = if self.tokens.eat("global") { self.names()? } else { Vec::new() };
        let mut functions = Vec::new();
        while !self.tokens.peek().is_empty() {
            functions.push(self.function()?);
        }
        let unroll = usize::try_from(unroll).map_err(|_| "`unroll` is negative".to_owned())?;
        Ok(Program { values, unroll, globals, functions })
    }

    fn function(&mut self) -> Result<Function> {
        self.tokens.expect("fun")?;
        let line = self.tokens.line();
        let name = self.tokens.word()?.to_owned();
        self.tokens.expect("(")?;
        let params = if self.tokens.peek() == ")" { Vec::new() } else { self.names()? };
        self.tokens.expect(")")?;
        Ok(Function { name, line, params, body: self.block()? })
    }

    fn names(&mut self) -> Result<Vec<String>> {
        let mut names = vec![self.tokens.word()?.to_owned()];
        while self.tokens.eat(",") {
            names.push(self.tokens.word()?.to_owned());
        }
        Ok(names)
    }

    fn block(&mut self) -> Result<Block> {
        self.tokens.expect("{")?;
        let mut block = Vec::new();
        while !self.tokens.eat("}") {
            block.push(self.statement()?);
        }
        Ok(block)
    }

    fn statement(&mut self) -> Result<Statement> {
        let line = self.tokens.line();
        let word = self.tokens.word()?;
        let statement = match word {
            "if" => return self.cascade(),
            "switch" => return self.switch(),
            "while" => {
                let condition = self.condition()?;
                return Ok(Statement::Loop { condition, body: self.block()?, body_first: false });
            }
            "macro" => return Ok(Statement::Macro(self.block()?)),
            "alias" => {
                self.tokens.expect("(")?;
                let first = self.tokens.word()?.to_owned();
                self.tokens.expect("==")?;
                let pointers = (first, self.tokens.word()?.to_owned());
                self.tokens.expect(")")?;
                let same = self.block()?;
                self.tokens.expect("else")?;
                return Ok(Statement::Alias { pointers, same, separate: self.block()? });
            }
            "do" => {
                let body = self.block()?;
                self.tokens.expect("while")?;
                Statement::Loop { condition: self.condition()?, body, body_first: true }
            }
            "local" => Statement::Local(self.tokens.word()?.to_owned()),
            "break" => Statement::Break,
            "abort" => Statement::Abort(line),
            "assert" => Statement::Assert(self.predicate()?, line),
            "admits" => Statement::Admits(self.predicate()?),
            "return" if self.tokens.peek() == ";" => Statement::Return(None),
            "return" => Statement::Return(Some(self.expr()?)),
            _ if self.tokens.peek() == "(" => self.call(None, word)?,
            _ => {
                self.tokens.expect("=")?;
                let is_call = self.tokens.all.get(self.tokens.at + 1).is_some_and(|token| token.text == "(");
                if is_call {
                    let callee = self.tokens.word()?;
                    self.call(Some(word.to_owned()), callee)?
                } else {
                    Statement::Assign(word.to_owned(), self.expr()?)
                }
            }
        };
        self.tokens.expect(";")?;
        Ok(statement)
    }

    fn call(&mut self, result: Option<String>, callee: &str) -> Result<Statement> {
        self.tokens.expect("(")?;
        let mut arguments = Vec::new();
        while !self.tokens.eat(")") {
            arguments.push(self.expr()?);
            if self.tokens.peek() != ")" {
                self.tokens.expect(",")?;
            }
        }
        Ok(Statement::Call { result, callee: callee.to_owned(), arguments })
    }

    fn cascade(&mut self) -> Result<Statement> {
        let mut arms = vec![(self.condition()?, self.block()?)];
        while self.tokens.eat("else") {
            if !self.tokens.eat("if") {
                return Ok(Statement::If { arms, last: Some(self.block()?) });
            }
            arms.push((self.condition()?, self.block()?));
        }
        Ok(Statement::If { arms, last: None })
    }

    fn switch(&mut self) -> Result<Statement> {
        self.tokens.expect("(")?;
        let subject = self.expr()?;
        self.tokens.expect(")")?;
        self.tokens.expect("{")?;
        let (mut cases, mut default) = (Vec::new(), None);
        while !self.tokens.eat("}") {
            if self.tokens.eat("default") {
                self.tokens.expect(":")?;
                default = Some(self.block()?);
            } else {
                self.tokens.expect("case")?;
                let value = self.tokens.number()?;
                self.tokens.expect(":")?;
                cases.push((value, self.block()?));
            }
        }
        Ok(Statement::Switch { subject, cases, default })
    }

    /// One comparison, or `true`: `and` and `or` would be branches of their own.
    fn condition(&mut self) -> Result<Predicate> {
        self.tokens.expect("(")?;
        let condition = if self.tokens.eat("true") { Predicate::Constant(true) } else { self.comparison()? };
        self.tokens.expect(")")?;
        Ok(condition)
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
        if self.tokens.eat("initialized") {
            self.tokens.expect("(")?;
            let name = self.tokens.word()?.to_owned();
            self.tokens.expect(")")?;
            return Ok(Predicate::Initialized(name));
        }
        if self.tokens.eat("false") {
            return Ok(Predicate::Constant(false));
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Result<Predicate> {
        let a = self.expr()?;
        match Comparison::ALL.into_iter().find(|comparison| self.tokens.eat(comparison.sign())) {
            Some(comparison) => Ok(Predicate::Compare(comparison, a, self.expr()?)),
            None => self.tokens.error("expected a comparison"),
        }
    }

    fn expr(&mut self) -> Result<Expr> {
        let mut left = self.atom()?;
        loop {
            let make = match self.tokens.peek() {
                "+" => Expr::Add,
                "-" => Expr::Sub,
                _ => return Ok(left),
            };
            self.tokens.at += 1;
            left = make(Box::new(left), Box::new(self.atom()?));
        }
    }

    fn atom(&mut self) -> Result<Expr> {
        let starts_number = |text: &str| text == "-" || text.starts_with(|c: char| c.is_ascii_digit());
        if starts_number(self.tokens.peek()) {
            return Ok(Expr::Const(self.tokens.number()?));
        }
        Ok(Expr::Var(self.tokens.word()?.to_owned()))
    }
}
