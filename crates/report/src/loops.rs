//! What was asked about loops, for the ledger.

use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// Functions with loops.
    pub functions: u64,
    /// Edges asked about: no run of a few iterations was found that takes them.
    pub asked: u64,
    /// Edges that are on no run that ends well, however often the loops are repeated.
    pub impossible: u64,
    /// Edges of which the budget was too small to tell: what is known without loops stands.
    pub unanswered: u64,
    /// Edges that were not asked about, because others of the function had brought nothing.
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
