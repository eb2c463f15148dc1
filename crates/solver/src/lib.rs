//! The oracle: the only crate that knows a solver.
//!
//! [`encode`] turns a passive function into formulas. Formulas are [`term`]s in a pool; [`smtlib`] writes and
//! reads the solvers' language; [`process`] is a solver program behind a pipe, [`programs`] says where such programs
//! are and [`dialect`] how they differ; a [`Session`] asks questions of one and survives its crashes, hangs and
//! nonsense, which [`health`] counts; [`second_opinion`] asks another. [`guess`] finds easy models without any.

mod answer;
pub mod dialect;
pub mod health;
pub mod horn;
pub mod minimal_core;
pub mod process;
pub mod programs;
pub mod second_opinion;
pub mod session;
pub mod smtlib;
mod transcript;

pub use answer::{Answer, Budget, Reason};
pub use minimal_core::{MinimalCore, minimal_core};
pub use programs::{Places, Program, ProgramError};
pub use second_opinion::{Confirmation, confirm_unsat};
pub use session::{Options, Session};
