//! Constrained Horn clauses: is there a run that passes an edge, with any number of iterations of loops, and ends well? (Horn
//! clauses with loops; decision 013.)
//!
//! A [`System`] consists of acyclic pieces between [`Point`]s, the heads of loops; each piece is an exact bit-vector formula.
//! For a query about one edge, every point has two predicates, before and after the edge was passed (the product construction),
//! so "passed" needs no variable ([`mod@clauses`]).
//!
//! [`integers`] translates to mathematical integers, which Spacer ([`spacer`]) handles well. The translation may be wrong if
//! numbers wrap around, so every invariant ([`Formula`]) is translated back to bit-vectors, and [`check`] asks the first solver
//! for initiation, consecution and safety. [`prove`] shows how the parts fit together.

mod check;
mod clauses;
mod formula;
mod houdini;
mod integers;
mod needed;
mod prove;
mod readings;
mod reasons;
mod refute_candidates;
mod spacer;
mod trim;

pub use clauses::{Clause, Predicate, clauses};
pub use formula::{Formula, Integer, Relation};
pub use prove::{Invariants, Outcome, Prover};
pub use readings::{Reading, Readings};
pub use reasons::{Used, reasons};

use gainsay_term::{Sort, Term, TermPool};

/// A variable that is carried from piece to piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    pub name: String,
    /// Bool or a bit-vector.
    pub sort: Sort,
}

/// Where pieces meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    pub name: String,
    pub arguments: Vec<Argument>,
}

/// All paths from one point, or from the start, to the next points and ends.
#[derive(Clone, Debug)]
pub struct Piece {
    pub pool: TermPool,
    /// Hold on every run.
    pub facts: Vec<Term>,
    /// `None` is the start.
    pub from: Option<usize>,
    /// The arguments of the point it starts from: variables.
    pub before: Vec<Term>,
    pub steps: Vec<Step>,
    /// The run ends well within the piece.
    pub ended: Term,
    /// For each edge asked about: the run takes it within the piece.
    pub taken: Vec<Term>,
}

#[derive(Clone, Debug)]
pub struct Step {
    pub to: usize,
    /// The run reaches the point.
    pub when: Term,
    /// The arguments there.
    pub after: Vec<Term>,
}

#[derive(Clone, Debug, Default)]
pub struct System {
    pub points: Vec<Point>,
    pub pieces: Vec<Piece>,
}
