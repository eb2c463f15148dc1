//! The analyses: from a prepared function in guarded commands to findings.
//!
//! Guarantees: no IO, no clock, no randomness; the result is a function of the input. Every finding that is shown as
//! proved is confirmed by a second solver.

// Read these first: the steps of one function, what they share, and every budget.
pub mod context;
pub mod limits;
pub mod pipeline;

// `reach`. In the order of its steps: edges, witness, must_pass_blocks, reach, explain, boundary, noise, confirm.
pub mod boundary;
mod confirm;
pub mod edges;
mod explain;
mod must_pass_blocks;
mod noise;
pub mod reach;
mod witness;

// From a contradiction to a finding.
mod calls;
mod contract;
mod draft;
mod judge;
pub mod source;
mod wording;

// The other analyses.
mod beliefs;
pub mod evidence;
pub mod horn;
pub mod loops;
pub mod verify;

pub mod guard;
