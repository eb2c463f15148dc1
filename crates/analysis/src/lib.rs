//! The thinking: what is made of a function in guarded commands. Read [`pipeline`] first.
//!
//! No IO, no clock, no chance: the outcome is a function of the unit.

mod beliefs;
pub mod boundary;
mod calls;
mod confirm;
mod contract;
pub mod edges;
pub mod evidence;
mod explain;
pub mod guard;
pub mod horn;
mod judge;
pub mod link;
pub mod loops;
mod noise;
pub mod pipeline;
pub mod preconditions;
pub mod reach;
pub mod schedule;
pub mod source;
mod spine;
pub mod summarize;
pub mod verify;
mod witness;
mod words;

pub use gainsay_solver as solver;
