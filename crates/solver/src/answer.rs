//! Budgets and answers. "Unknown" is an answer with a reason.

use std::fmt;
use std::time::Duration;

/// The budget of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The limit that decides: the same on every machine. See [`crate::dialect`] for its unit.
    pub effort: u64,
    /// Wall clock. Only for the case that a solver hangs; generous, because results must not depend on it.
    pub backstop: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Sat,
    Unsat,
    Unknown(Reason),
}

/// Why a query has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The effort was spent.
    Effort,
    /// The wall clock ran out.
    Backstop,
    /// The solver could not be started, or died or answered nonsense twice.
    Crashed(String),
    /// The solver gave up by itself.
    Incomplete(String),
    /// The solver rejected the query: a bug in gainsay.
    Rejected(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Reason::Effort => f.write_str("the solver's effort limit was reached"),
            Reason::Backstop => f.write_str("the solver did not answer in time"),
            Reason::Crashed(how) => f.write_str(how),
            Reason::Incomplete(why) => write!(f, "the solver gave up: {why}"),
            Reason::Rejected(why) => write!(f, "the solver did not accept the question: {why}"),
        }
    }
}

impl std::error::Error for Reason {}
