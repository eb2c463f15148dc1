//! Contracts in ACSL comments, as text: `/*@ requires P; */` and `//@ requires P;` before a function.
//!
//! Only the syntax is known here; names and types are given a meaning by `lower::contract`. What is not understood is
//! kept as a clause without a condition, so that it can be counted.

mod lex;
mod parse;

pub(crate) use parse::clauses;

/// One clause of a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clause {
    /// Where it begins, in bytes of the comment.
    pub(crate) offset: u32,
    /// What it requires; `None` where it is of another kind or not understood.
    pub(crate) requires: Option<Expr>,
}

/// A logical expression. Integers are mathematical, and conditions are no integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expr {
    Int(u64),
    /// `\null` and `NULL`.
    Null,
    Name(String),
    Neg(Box<Expr>),
    Arith(Arith, Box<Expr>, Box<Expr>),
    Compare(Compare, Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    All(Vec<Expr>),
    Any(Vec<Expr>),
    /// `\valid(p)`, or with both bounds `\valid(p + (lo .. hi))`.
    Valid(Box<Expr>, Option<Box<(Expr, Expr)>>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arith {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compare {
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}
