//! Runs of gainsay: selects units, hands them to worker processes, keeps the cache, and merges the results.
//!
//! Read [`phases`] first; it lists the phases of a run in order. Then:
//!
//! - [`select`], `read`, [`link`], `analyse`, `verify` and [`merge`] are the phases. They run in the process that the user
//!   started and see all units.
//! - [`mod@unit`] is what a worker does with one unit in these phases.
//! - [`worker`] starts worker processes, talks to them and survives their crashes.
//! - [`cache`] keeps results on disk from one run to the next.
//! - `source` answers what the analyses ask about the source text.
//!
//! This crate starts processes and reads and writes files. It prints nothing and never exits; `cli` does that.

mod acsl_patch;
mod analyse;
pub mod cache;
pub mod check_options;
#[cfg(test)]
mod fuzz;
mod limits;
pub mod link;
pub mod merge;
pub mod phases;
mod read;
pub mod select;
mod source;
pub mod summaries;
pub mod unit;
mod verify;
pub mod worker;

pub use acsl_patch::{invariant_patch, precondition_patch};
