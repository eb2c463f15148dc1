//! The oracle as its users see it: terms, text, and sessions with the real solvers and with broken ones.

mod broken_solvers;
mod cores;
mod programs;
mod sessions;
mod smtlib;
mod support;
mod terms;
mod transcripts;
