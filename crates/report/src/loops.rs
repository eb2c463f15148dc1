//! Counts of queries about loops, for the coverage ledger.

use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// Functions with loops.
    pub functions: u64,
    /// Edges with a query: no run of a few iterations was found that takes them.
    pub asked: u64,
    /// Edges on no error-free terminating run, for any number of iterations.
    pub impossible: u64,
    /// Edges that the budget did not suffice for; the result without loops is kept.
    pub unanswered: u64,
    /// Edges without a query, because queries about other edges of the function had no result.
    pub left_out: u64,
}

impl AddAssign for Asked {
    fn add_assign(&mut self, other: Asked) {
        self.functions += other.functions;
        self.asked += other.asked;
        self.impossible += other.impossible;
        self.unanswered += other.unanswered;
        self.left_out += other.left_out;
    }
}
