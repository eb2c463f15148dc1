//! Figure 2: the structured guarded-command language, over small signed integers that wrap around.

use crate::store::{Store, Stores};
use std::collections::BTreeSet;

pub use crate::comparison::Comparison;

/// An index into [`Program::vars`].
pub type Var = usize;

#[derive(Clone, PartialEq, Eq)]
pub struct Program {
    pub bits: u32,
    /// Names of the variables, all of them global.
    pub vars: Vec<String>,
    pub functions: Vec<Function>,
}

/// `fun f() P { s } N X`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    pub requires: Predicate,
    pub ensures: Predicate,
    pub raises: Predicate,
    pub body: Statement,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    Do(Instruction),
    Choice(Box<Statement>, Box<Statement>),
    Skip,
    Seq(Box<Statement>, Box<Statement>),
    Raise,
    /// `s1 ! s2`: the second runs if the first raises.
    Handle(Box<Statement>, Box<Statement>),
    /// `s*`
    Loop(Box<Statement>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instruction {
    Assign(Var, Expr),
    Assert(Predicate),
    Assume(Predicate),
    /// An index into [`Program::functions`].
    Call(usize),
    Havoc(Var),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    Const(i32),
    Var(Var),
    Add(Box<Expr>, Box<Expr>),
    Sub(Box<Expr>, Box<Expr>),
    Mul(Box<Expr>, Box<Expr>),
    /// Towards zero; the divisor is a value of a variable other than zero.
    Div(Box<Expr>, i32),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Predicate {
    Constant(bool),
    Compare(Comparison, Expr, Expr),
    Not(Box<Predicate>),
    And(Box<Predicate>, Box<Predicate>),
    Or(Box<Predicate>, Box<Predicate>),
}

/// The position of a statement in a function's body: the child to take at each level.
pub type Path = Vec<usize>;

/// The path of a child.
pub fn below(path: &[usize], child: usize) -> Path {
    path.iter().copied().chain([child]).collect()
}

impl Program {
    pub fn stores(&self) -> Stores {
        Stores { vars: self.vars.len(), bits: self.bits }
    }

    /// The variables assigned by the statement, where the targets of a call are those of the callee's body
    /// (section 2).
    pub fn targets(&self, statement: &Statement) -> BTreeSet<Var> {
        let mut targets = BTreeSet::new();
        let mut called = BTreeSet::new();
        self.collect_targets(statement, &mut called, &mut targets);
        targets
    }

    fn collect_targets(&self, s: &Statement, called: &mut BTreeSet<usize>, targets: &mut BTreeSet<Var>) {
        match s {
            Statement::Do(Instruction::Assign(var, _) | Instruction::Havoc(var)) => {
                targets.insert(*var);
            }
            Statement::Do(Instruction::Call(callee)) if called.insert(*callee) => {
                self.collect_targets(&self.functions[*callee].body, called, targets);
            }
            _ => s.children().into_iter().for_each(|child| self.collect_targets(child, called, targets)),
        }
    }

    /// What a call stands for, as in the last row of Figure 4: `assert P ; havoc(targets(s)) ; (assume N' []
    /// (assume X' ; raise))`.
    pub fn meaning_of_call(&self, callee: usize) -> Statement {
        let Function { requires, ensures, raises, body, .. } = &self.functions[callee];
        let normally = Statement::assume(ensures.clone());
        let exceptionally = Statement::assume(raises.clone()).then(Statement::Raise);
        let end = Statement::Choice(Box::new(normally), Box::new(exceptionally));
        Statement::Do(Instruction::Assert(requires.clone())).then(self.havoc_targets(body).then(end))
    }

    /// `havoc(targets(s))`
    pub fn havoc_targets(&self, s: &Statement) -> Statement {
        let havoc = |var| Statement::Do(Instruction::Havoc(var));
        self.targets(s).into_iter().map(havoc).reduce(Statement::then).unwrap_or(Statement::Skip)
    }
}

impl Statement {
    pub fn then(self, next: Statement) -> Statement {
        Statement::Seq(Box::new(self), Box::new(next))
    }

    pub fn or(self, other: Statement) -> Statement {
        Statement::Choice(Box::new(self), Box::new(other))
    }

    pub fn handled_by(self, handler: Statement) -> Statement {
        Statement::Handle(Box::new(self), Box::new(handler))
    }

    pub fn repeated(self) -> Statement {
        Statement::Loop(Box::new(self))
    }

    pub fn assume(predicate: Predicate) -> Statement {
        Statement::Do(Instruction::Assume(predicate))
    }

    /// The divergent computation, written as an upside-down T in the paper.
    pub fn diverge() -> Statement {
        Statement::assume(Predicate::Constant(false))
    }

    pub fn children(&self) -> Vec<&Statement> {
        match self {
            Statement::Do(_) | Statement::Skip | Statement::Raise => Vec::new(),
            Statement::Loop(body) => vec![body],
            Statement::Choice(a, b) | Statement::Seq(a, b) | Statement::Handle(a, b) => vec![a, b],
        }
    }

    pub fn at(&self, path: &[usize]) -> &Statement {
        path.iter().fold(self, |statement, &child| statement.children()[child])
    }

    /// The paths of both branches of every choice.
    pub fn branches(&self) -> Vec<Path> {
        let is_branch = |path: &Path| match path.split_last() {
            Some((_, above)) => matches!(self.at(above), Statement::Choice(..)),
            None => false,
        };
        self.paths().into_iter().filter(is_branch).collect()
    }

    /// The paths of all statements below, this one included.
    pub fn paths(&self) -> Vec<Path> {
        let mut paths = vec![Path::new()];
        for (child, statement) in self.children().into_iter().enumerate() {
            paths.extend(statement.paths().into_iter().map(|path| [vec![child], path].concat()));
        }
        paths
    }

    /// Is it, or does it contain, such a statement?
    pub fn any(&self, is_such: fn(&Statement) -> bool) -> bool {
        is_such(self) || self.children().into_iter().any(|child| child.any(is_such))
    }
}

impl Expr {
    pub fn value(&self, stores: &Stores, store: Store) -> i32 {
        let value = |expr: &Expr| expr.value(stores, store);
        stores.wrap(match self {
            Expr::Const(constant) => *constant,
            Expr::Var(var) => stores.value(store, *var),
            Expr::Add(a, b) => value(a) + value(b),
            Expr::Sub(a, b) => value(a) - value(b),
            Expr::Mul(a, b) => value(a) * value(b),
            Expr::Div(a, divisor) => value(a) / divisor,
        })
    }
}

impl Predicate {
    pub fn holds(&self, stores: &Stores, store: Store) -> bool {
        match self {
            Predicate::Constant(holds) => *holds,
            Predicate::Compare(comparison, a, b) => {
                comparison.holds(a.value(stores, store), b.value(stores, store))
            }
            Predicate::Not(a) => !a.holds(stores, store),
            Predicate::And(a, b) => a.holds(stores, store) && b.holds(stores, store),
            Predicate::Or(a, b) => a.holds(stores, store) || b.holds(stores, store),
        }
    }

    /// The negation; that of a comparison is a comparison.
    pub fn negated(&self) -> Predicate {
        match self {
            Predicate::Constant(holds) => Predicate::Constant(!holds),
            Predicate::Compare(comparison, a, b) => {
                Predicate::Compare(comparison.negated(), a.clone(), b.clone())
            }
            Predicate::Not(a) => (**a).clone(),
            Predicate::And(..) | Predicate::Or(..) => Predicate::Not(Box::new(self.clone())),
        }
    }
}
