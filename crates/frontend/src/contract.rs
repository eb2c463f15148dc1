//! The syntax of annotations, which are ACSL comments: `/*@ requires P; */` and `//@ requires P;` before a function,
//! `assert` and `loop` clauses before a statement.
//!
//! `lower::contract` resolves names and types. Unsupported text becomes a [`Problem`] with its position.

mod lex;
mod parse;

pub(crate) use parse::parse;

/// The contents of one comment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Annotation {
    pub(crate) clauses: Vec<Clause>,
    pub(crate) problems: Vec<Problem>,
}

/// Why a clause is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// Unit: bytes from the start of the comment.
    pub(crate) offset: u32,
    pub(crate) message: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clause {
    /// Unit: bytes from the start of the comment.
    pub(crate) offset: u32,
    pub(crate) kind: ClauseKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ClauseKind {
    Requires(Expr),
    Ensures(Expr),
    /// Only these are written; empty for `\nothing`.
    Assigns(Vec<Places>),
    /// Condition under which the behavior applies.
    Assumes(Expr),
    /// Must hold at entry for the contract to be complete and its behaviors disjoint.
    AtEntry(Expr),
    Assert(Expr),
    /// `admit P;` and `assume P;`.
    Admit(Expr),
    Invariant(Expr),
    LoopAssigns(Vec<Places>),
    Variant(Expr),
}

/// A logical expression. Integers are mathematical, and conditions are not integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expr {
    Int(u64),
    /// `\null` and `NULL`.
    Null,
    Truth(bool),
    Name(String),
    /// `\result`
    Result,
    Neg(Box<Expr>),
    Complement(Box<Expr>),
    Arith(Arith, Box<Expr>, Box<Expr>),
    Compare(Compare, Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    All(Vec<Expr>),
    Any(Vec<Expr>),
    Iff(Box<Expr>, Box<Expr>),
    Ite(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `\valid(p)` and `\valid_read(p)`.
    Valid(Box<Places>),
    /// They are pairwise disjoint.
    Separated(Vec<Places>),
    /// `\old(e)`
    Old(Box<Expr>),
    Quantified {
        forall: bool,
        names: Vec<String>,
        body: Box<Expr>,
    },
    Deref(Box<Expr>),
    Index(Box<Expr>, Box<Expr>),
    /// The record and the name of its field.
    Field(Box<Expr>, String),
    AddressOf(Box<Expr>),
    /// Cast to the integer type of this name.
    Cast(String, Box<Expr>),
}

/// The memory that an expression names, or a range of it. In `\valid` the base is a pointer, in `assigns` an lvalue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Places {
    pub(crate) base: Expr,
    /// `base + (first .. last)`, `base[first .. last]`
    pub(crate) range: Option<(Expr, Expr)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arith {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
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
