//! The thinking: what is made of a function in guarded commands. Read [`pipeline`] first.
//!
//! No IO, no clock, no chance: the outcome is a function of the unit.

pub mod guard;
pub mod pipeline;
pub mod reach;

pub use gainsay_solver as solver;
