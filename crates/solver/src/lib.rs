//! The oracle: the only crate that knows a solver.
//!
//! Formulas are [`term`]s in a pool; [`smtlib`] writes and reads the solvers' language; [`process`] is a solver
//! program behind a pipe and [`programs`] says where such programs are; a [`Session`] asks questions of one and
//! keeps its promises when it crashes, hangs or talks nonsense; [`second_opinion`] asks another.

pub mod core;
pub mod dialect;
pub mod process;
pub mod programs;
pub mod second_opinion;
pub mod session;
pub mod smtlib;
pub mod term;
mod transcript;

pub use core::{MinimalCore, minimal_core};
pub use programs::{Places, Program, ProgramError};
pub use second_opinion::{Confirmation, confirm_unsat};
pub use session::{Answer, Budget, Options, Reason, Session};
pub use term::{Assignment, Sort, Term, TermPool, Value};
