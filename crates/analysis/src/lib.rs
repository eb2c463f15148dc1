//! The thinking: what is made of a function in guarded commands. Read [`pipeline`] first.
//!
//! No IO, no clock, no chance: the outcome is a function of the unit.

mod beliefs;
pub mod boundary;
mod calls;
mod confirm;
pub mod context;
mod contract;
pub mod edges;
pub mod evidence;
mod explain;
pub mod guard;
pub mod horn;
mod judge;
pub mod limits;
pub mod loops;
mod must_pass_blocks;
mod noise;
pub mod pipeline;
pub mod reach;
pub mod source;
pub mod verify;
mod witness;
mod wording;
