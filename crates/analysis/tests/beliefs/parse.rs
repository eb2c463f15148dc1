//! Reads the text form of a program.

use crate::syntax::{Constructor, Function, Label, Program, Statement};

type Result<T> = std::result::Result<T, String>;

/// The program, or what is wrong on which line.
pub fn parse(text: &str) -> Result<Program> {
    let tokens = tokens(text)?;
    let follows_def = |at: &usize| at.checked_sub(1).is_some_and(|before| tokens[before].text == "def");
    let names = (0..tokens.len()).filter(follows_def).map(|at| tokens[at].text).collect();
    let program = Parser { tokens, at: 0, names, constructors: 0, lines: Vec::new() }.program()?;
    for index in 0..program.functions.len() {
        check_calls(&program, index, &mut Vec::new())?;
    }
    Ok(program)
}

/// Arguments are as many as parameters, and nothing is recursive: section 5.1 leaves fixed points out.
fn check_calls(program: &Program, function: usize, callers: &mut Vec<usize>) -> Result<()> {
    let name = &program.functions[function].name;
    if callers.contains(&function) {
        return Err(format!("`{name}` is recursive"));
    }
    let mut calls = Vec::new();
    program.functions[function].body.walk(&mut |statement| {
        if let Statement::Call(_, callee, arguments) = statement {
            calls.push((*callee, arguments.len()));
        }
    });
    callers.push(function);
    for (callee, arguments) in calls {
        if program.functions[callee].params.len() != arguments {
            return Err(format!("`{name}` calls with a wrong number of arguments"));
        }
        check_calls(program, callee, callers)?;
    }
    callers.pop();
    Ok(())
}

struct Token<'a> {
    text: &'a str,
    line: usize,
}

const SIGNS: [&str; 8] = ["<-", "=", ";", "{", "}", "(", ")", ","];

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
    names: Vec<&'a str>,
    constructors: usize,
    lines: Vec<usize>,
}

impl<'a> Parser<'a> {
    fn program(mut self) -> Result<Program> {
        self.expect("constructors")?;
        self.constructors =
            self.word()?.parse().map_err(|_| "expected a number of constructors".to_owned())?;
        let mut functions = Vec::new();
        while !self.peek().is_empty() {
            self.expect("def")?;
            let line = self.line();
            let name = self.word()?.to_owned();
            let params = self.names()?;
            functions.push(Function { name, line, params, body: self.block()? });
        }
        Ok(Program { constructors: self.constructors, functions, lines: self.lines })
    }

    /// `(a, b)`
    fn names(&mut self) -> Result<Vec<String>> {
        self.expect("(")?;
        let mut names = Vec::new();
        while !self.eat(")") {
            names.push(self.word()?.to_owned());
            if self.peek() != ")" {
                self.expect(",")?;
            }
        }
        Ok(names)
    }

    fn block(&mut self) -> Result<Statement> {
        let label = self.label();
        self.expect("{")?;
        let mut statements = Vec::new();
        while !self.eat("}") {
            statements.push(self.statement()?);
        }
        Ok(statements.into_iter().reduce(Statement::then).unwrap_or(Statement::Skip(label)))
    }

    fn statement(&mut self) -> Result<Statement> {
        let label = self.label();
        let word = self.word()?;
        let statement = match word {
            "if" => {
                let (x, constructor) = self.condition()?;
                let then = Box::new(self.block()?);
                self.expect("else")?;
                return Ok(Statement::If(label, x, constructor, then, Box::new(self.block()?)));
            }
            "check" => {
                let (x, constructor) = self.condition()?;
                Statement::Check(label, x, constructor)
            }
            "skip" => Statement::Skip(label),
            _ if self.eat("<-") => match self.constructor() {
                Some(constructor) => Statement::Construct(label, word.to_owned(), constructor),
                None => Statement::Copy(label, word.to_owned(), self.word()?.to_owned()),
            },
            _ => match self.names.iter().position(|name| *name == word) {
                Some(callee) => Statement::Call(label, callee, self.names()?),
                None => return self.error(&format!("there is no function `{word}`")),
            },
        };
        self.expect(";")?;
        Ok(statement)
    }

    /// `x = Ci`
    fn condition(&mut self) -> Result<(String, Constructor)> {
        let x = self.word()?.to_owned();
        self.expect("=")?;
        match self.constructor() {
            Some(constructor) => Ok((x, constructor)),
            None => self.error("expected a constructor"),
        }
    }

    fn constructor(&mut self) -> Option<Constructor> {
        let number: usize = self.peek().strip_prefix('C')?.parse().ok()?;
        let is_one = (1..=self.constructors).contains(&number);
        self.at += usize::from(is_one);
        is_one.then_some(number)
    }

    fn label(&mut self) -> Label {
        self.lines.push(self.line());
        self.lines.len() - 1
    }

    fn word(&mut self) -> Result<&'a str> {
        let word = self.peek();
        if word.starts_with(|c: char| c.is_ascii_alphanumeric()) {
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
