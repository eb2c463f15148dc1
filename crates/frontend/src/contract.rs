//! Contracts in ACSL comments, as text: `/*@ requires P; */` and `//@ requires P;` before a function, `assert` and `loop`
//! clauses before a statement.
//!
//! Only the syntax is known here; names and types are given a meaning by `lower::contract`. What is not understood is a
//! [`Problem`] with its place.

mod lex;
mod parse;

pub(crate) use parse::parse;

/// What one comment says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Annotation {
    pub(crate) clauses: Vec<Clause>,
    pub(crate) problems: Vec<Problem>,
}

/// Why a clause is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// In bytes of the comment.
    pub(crate) offset: u32,
    pub(crate) message: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clause {
    /// Where it begins, in bytes of the comment.
    pub(crate) offset: u32,
    pub(crate) kind: ClauseKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ClauseKind {
    Requires(Expr),
    Ensures(Expr),
    /// Nothing else is written; empty for `\nothing`.
    Assigns(Vec<Places>),
    /// A behavior applies under this condition.
    Assumes(Expr),
    /// Holds where the function begins if its contract is complete and its behaviors are disjoint.
    AtEntry(Expr),
    Assert(Expr),
    /// `admit P;` and `assume P;`.
    Admit(Expr),
    Invariant(Expr),
    LoopAssigns(Vec<Places>),
    Variant(Expr),
}

/// A logical expression. Integers are mathematical, and conditions are no integers.
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
    /// No two of them meet.
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
    /// Record, field.
    Field(Box<Expr>, String),
    AddressOf(Box<Expr>),
    /// To an integer type of this name.
    Cast(String, Box<Expr>),
}

/// The place that an expression names, or those of a range: in `\valid` it is a pointer, in `assigns` an lvalue.
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
