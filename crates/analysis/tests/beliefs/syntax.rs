//! Section 2: a first-order language whose only values are constants C1 ... Cn.

/// Unique in a program.
pub type Label = usize;

/// 1 for C1.
pub type Constructor = usize;

#[derive(Clone, Debug)]
pub struct Program {
    pub constructors: usize,
    pub functions: Vec<Function>,
    /// The line of every label.
    pub lines: Vec<usize>,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub line: usize,
    pub params: Vec<String>,
    pub body: Statement,
}

#[derive(Clone, Debug)]
pub enum Statement {
    /// `x <- Ci`
    Construct(Label, String, Constructor),
    /// `x <- y`
    Copy(Label, String, String),
    /// `check x = Ci`
    Check(Label, String, Constructor),
    /// A call of the function with this index.
    Call(Label, usize, Vec<String>),
    Seq(Box<Statement>, Box<Statement>),
    If(Label, String, Constructor, Box<Statement>, Box<Statement>),
    /// In the paper, an abbreviation of an assignment of a variable to itself.
    Skip(Label),
}

impl Program {
    pub fn all_constructors(&self) -> std::ops::RangeInclusive<Constructor> {
        1..=self.constructors
    }

    pub fn fresh_label(&mut self, line: usize) -> Label {
        self.lines.push(line);
        self.lines.len() - 1
    }
}

impl Statement {
    pub fn then(self, next: Statement) -> Statement {
        Statement::Seq(Box::new(self), Box::new(next))
    }

    /// Visits this statement and all statements in it, in the order of the text.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Statement)) {
        visit(self);
        if let Statement::Seq(a, b) | Statement::If(_, _, _, a, b) = self {
            a.walk(visit);
            b.walk(visit);
        }
    }
}
