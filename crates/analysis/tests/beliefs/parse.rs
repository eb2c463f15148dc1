//! Parser of the toy language.

use crate::syntax::{Constructor, Function, Label, Program, Statement};
use crate::tokens::{Result, Tokens};

/// The program, or an error with its line.
pub fn parse(text: &str) -> Result<Program> {
    let tokens = Tokens::new(text, 1, &["<-", "=", ";", "{", "}", "(", ")", ","])?;
    let definitions = tokens.all.windows(2).filter(|pair| pair[0].text == "def");
    let names = definitions.map(|pair| pair[1].text).collect();
    let program = Parser { tokens, names, constructors: 0, lines: Vec::new() }.program()?;
    for index in 0..program.functions.len() {
        check_calls(&program, index, &mut Vec::new())?;
    }
    Ok(program)
}

/// Checks that calls have as many arguments as parameters and that no function is recursive: section 5.1
/// leaves fixed points out.
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

struct Parser<'a> {
    tokens: Tokens<'a>,
    names: Vec<&'a str>,
    constructors: usize,
    lines: Vec<usize>,
}

impl<'a> Parser<'a> {
    fn program(mut self) -> Result<Program> {
        self.tokens.expect("constructors")?;
        self.constructors = usize::try_from(self.tokens.number()?).map_err(|error| error.to_string())?;
        let mut functions = Vec::new();
        while !self.tokens.peek().is_empty() {
            self.tokens.expect("def")?;
            let line = self.tokens.line();
            let name = self.tokens.word()?.to_owned();
            let params = self.names()?;
            functions.push(Function { name, line, params, body: self.block()? });
        }
        Ok(Program { constructors: self.constructors, functions, lines: self.lines })
    }

    /// `(a, b)`
    fn names(&mut self) -> Result<Vec<String>> {
        self.tokens.expect("(")?;
        let mut names = Vec::new();
        while !self.tokens.eat(")") {
            names.push(self.tokens.word()?.to_owned());
            if self.tokens.peek() != ")" {
                self.tokens.expect(",")?;
            }
        }
        Ok(names)
    }

    fn block(&mut self) -> Result<Statement> {
        let label = self.label();
        self.tokens.expect("{")?;
        let mut statements = Vec::new();
        while !self.tokens.eat("}") {
            statements.push(self.statement()?);
        }
        Ok(statements.into_iter().reduce(Statement::then).unwrap_or(Statement::Skip(label)))
    }

    fn statement(&mut self) -> Result<Statement> {
        let label = self.label();
        let word = self.tokens.word()?;
        let statement = match word {
            "if" => {
                let (x, constructor) = self.condition()?;
                let then = Box::new(self.block()?);
                self.tokens.expect("else")?;
                return Ok(Statement::If(label, x, constructor, then, Box::new(self.block()?)));
            }
            "check" => {
                let (x, constructor) = self.condition()?;
                Statement::Check(label, x, constructor)
            }
            "skip" => Statement::Skip(label),
            _ if self.tokens.eat("<-") => match self.constructor() {
                Some(constructor) => Statement::Construct(label, word.to_owned(), constructor),
                None => Statement::Copy(label, word.to_owned(), self.tokens.word()?.to_owned()),
            },
            _ => match self.names.iter().position(|name| *name == word) {
                Some(callee) => Statement::Call(label, callee, self.names()?),
                None => return self.tokens.error(&format!("there is no function `{word}`")),
            },
        };
        self.tokens.expect(";")?;
        Ok(statement)
    }

    /// `x = Ci`
    fn condition(&mut self) -> Result<(String, Constructor)> {
        let x = self.tokens.word()?.to_owned();
        self.tokens.expect("=")?;
        match self.constructor() {
            Some(constructor) => Ok((x, constructor)),
            None => self.tokens.error("expected a constructor"),
        }
    }

    fn constructor(&mut self) -> Option<Constructor> {
        let number: usize = self.tokens.peek().strip_prefix('C')?.parse().ok()?;
        let is_one = (1..=self.constructors).contains(&number);
        self.tokens.at += usize::from(is_one);
        is_one.then_some(number)
    }

    fn label(&mut self) -> Label {
        self.lines.push(self.tokens.line());
        self.lines.len() - 1
    }
}
