//! The language: structured C over small integers, limited to what the paper's rules refer to.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

pub use crate::comparison::Comparison;

#[derive(Clone, Debug)]
pub struct Program {
    /// The values that a parameter or a global can have at the start, which define "all inputs".
    pub values: RangeInclusive<i64>,
    /// How often a loop may be repeated each time it is entered.
    pub unroll: usize,
    pub globals: Vec<String>,
    pub functions: Vec<Function>,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub line: usize,
    pub params: Vec<String>,
    pub body: Block,
}

pub type Block = Vec<Statement>;

#[derive(Clone, Debug)]
pub enum Statement {
    Assign(String, Expr),
    /// `local r;`: declared, not initialised.
    Local(String),
    Call {
        result: Option<String>,
        callee: String,
        arguments: Vec<Expr>,
    },
    /// `if`, `else if` ..., `else`: a cascade if there are two tests or more.
    If {
        arms: Vec<(Predicate, Block)>,
        last: Option<Block>,
    },
    /// Cases do not fall through.
    Switch {
        subject: Expr,
        cases: Vec<(i64, Block)>,
        default: Option<Block>,
    },
    Loop {
        condition: Predicate,
        body: Block,
        /// `do ... while`
        body_first: bool,
    },
    Break,
    Return(Option<Expr>),
    /// An ERROR node behind the negated predicate: a written assertion, or what a dereference implies (section 4.1).
    Assert(Predicate, usize),
    /// An ERROR node.
    Abort(usize),
    /// The definition of a macro.
    Macro(Block),
    /// A comment "can handle P" (sections 4.5 and 4.6).
    Admits(Predicate),
    /// A case split of pointer analysis: `p` and `q` are the same, or not.
    Alias {
        pointers: (String, String),
        same: Block,
        separate: Block,
    },
}

#[derive(Clone, Debug)]
pub enum Expr {
    Const(i64),
    Var(String),
    Add(Box<Expr>, Box<Expr>),
    Sub(Box<Expr>, Box<Expr>),
}

#[derive(Clone, Debug)]
pub enum Predicate {
    Constant(bool),
    Compare(Comparison, Expr, Expr),
    Initialized(String),
    Not(Box<Predicate>),
    And(Box<Predicate>, Box<Predicate>),
    Or(Box<Predicate>, Box<Predicate>),
}

/// Values of variables; `None` is not initialised.
pub type Values = BTreeMap<String, Option<i64>>;

impl Program {
    pub fn function(&self, name: &str) -> &Function {
        let found = self.functions.iter().find(|function| function.name == name);
        found.unwrap_or_else(|| panic!("there is no function `{name}`"))
    }

    /// All inputs of a function: every value of every parameter and every global.
    pub fn inputs(&self, function: &Function) -> Vec<Values> {
        let mut inputs = vec![Values::new()];
        for name in self.globals.iter().chain(&function.params) {
            let extend = |input: &Values| -> Vec<Values> {
                let with = |value| {
                    let mut longer = input.clone();
                    longer.insert(name.clone(), Some(value));
                    longer
                };
                self.values.clone().map(with).collect()
            };
            inputs = inputs.iter().flat_map(extend).collect();
        }
        inputs
    }
}

impl Expr {
    pub fn eval(&self, read: &impl Fn(&str) -> Option<i64>) -> i64 {
        match self {
            Expr::Const(value) => *value,
            Expr::Var(name) => read(name).unwrap_or_else(|| panic!("`{name}` is read and was never set")),
            Expr::Add(a, b) => a.eval(read) + b.eval(read),
            Expr::Sub(a, b) => a.eval(read) - b.eval(read),
        }
    }

    fn vars(&self, into: &mut BTreeSet<String>) {
        match self {
            Expr::Const(_) => {}
            Expr::Var(name) => {
                into.insert(name.clone());
            }
            Expr::Add(a, b) | Expr::Sub(a, b) => {
                a.vars(into);
                b.vars(into);
            }
        }
    }
}

impl Predicate {
    pub fn equal(a: Expr, b: Expr) -> Predicate {
        Predicate::Compare(Comparison::Eq, a, b)
    }

    pub fn holds(&self, read: &impl Fn(&str) -> Option<i64>) -> bool {
        match self {
            Predicate::Constant(holds) => *holds,
            Predicate::Compare(comparison, a, b) => comparison.holds(a.eval(read), b.eval(read)),
            Predicate::Initialized(name) => read(name).is_some(),
            Predicate::Not(p) => !p.holds(read),
            Predicate::And(p, q) => p.holds(read) && q.holds(read),
            Predicate::Or(p, q) => p.holds(read) || q.holds(read),
        }
    }

    pub fn negated(&self) -> Predicate {
        match self {
            Predicate::Compare(comparison, a, b) => {
                Predicate::Compare(comparison.negated(), a.clone(), b.clone())
            }
            other => Predicate::Not(Box::new(other.clone())),
        }
    }

    pub fn vars(&self) -> BTreeSet<String> {
        let mut vars = BTreeSet::new();
        self.collect_vars(&mut vars);
        vars
    }

    fn collect_vars(&self, into: &mut BTreeSet<String>) {
        match self {
            Predicate::Constant(_) => {}
            Predicate::Compare(_, a, b) => {
                a.vars(into);
                b.vars(into);
            }
            Predicate::Initialized(name) => {
                into.insert(name.clone());
            }
            Predicate::Not(p) => p.collect_vars(into),
            Predicate::And(p, q) | Predicate::Or(p, q) => {
                p.collect_vars(into);
                q.collect_vars(into);
            }
        }
    }

    /// Section 4.4: `i <= 10` is `i < 10` or `i == 10`.
    pub fn three_way(&self) -> Vec<Predicate> {
        let Predicate::Compare(comparison, a, b) = self else { return vec![self.clone()] };
        let with = |comparison| Predicate::Compare(comparison, a.clone(), b.clone());
        match comparison {
            Comparison::Le => vec![with(Comparison::Lt), with(Comparison::Eq)],
            Comparison::Ge => vec![with(Comparison::Gt), with(Comparison::Eq)],
            Comparison::Eq | Comparison::Ne | Comparison::Lt | Comparison::Gt => vec![self.clone()],
        }
    }
}
