//! Constrained Horn clauses: can a run pass an edge, go round loops as often as it likes, and end well?
//! (papers/horn-clauses-with-loops; design.md, sections 6 and 9.)
//!
//! A [`System`] is made of acyclic pieces between [`Point`]s, the heads of loops; each piece is an exact bit-vector
//! formula. For a question about one edge every point has two predicates, before and after the edge was passed, so
//! that passing is a matter of control and not of one more variable ([`clauses`]).
//!
//! [`integers`] says the same over mathematical integers, which Spacer ([`spacer`]) is good at. That translation may be
//! wrong where numbers wrap around: what counts is [`check`], which takes the invariants ([`Formula`]) back to
//! bit-vectors and asks the first solver whether they hold initially, are kept, and exclude the end.

mod check;
mod clauses;
mod formula;
mod integers;
mod known;
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

/// All ways from one point, or from the start, to the next points and ends.
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
    /// The run comes to the point.
    pub when: Term,
    /// The arguments there.
    pub after: Vec<Term>,
}

#[derive(Clone, Debug, Default)]
pub struct System {
    pub points: Vec<Point>,
    pub pieces: Vec<Piece>,
}
