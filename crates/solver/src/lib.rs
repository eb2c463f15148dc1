//! The only crate that knows a solver.
//!
//! Read [`session`](Session) first: it sends the queries of one problem to a solver and survives crashes, hangs and nonsense,
//! which [`health`] counts. Below it, [`process`] is a solver program behind a pipe, [`programs`] finds such programs, [`dialect`]
//! describes how they differ, and [`smtlib`] prints formulas and reads answers. [`second_opinion`] asks another solver, and
//! [`minimal_core()`] shortens a contradiction. [`horn`] proves invariants of loops.

mod answer;
pub mod dialect;
pub mod health;
pub mod horn;
mod limits;
pub mod minimal_core;
pub mod process;
pub mod programs;
pub mod second_opinion;
pub mod session;
pub mod smtlib;
mod transcript;

pub use answer::{Answer, Budget, Reason};
pub use minimal_core::{MinimalCore, minimal_core};
pub use programs::{Program, ProgramError, SolverDirectories};
pub use second_opinion::{Confirmation, confirm_unsat};
pub use session::{Options, Session};
