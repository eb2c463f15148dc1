//! The developer commands, started as a process.

mod contracts;
mod edges;
mod horn;
mod linking;
#[path = "../../../cli/tests/cli/project.rs"]
#[allow(dead_code, reason = "shared with the tests of the user's commands")]
mod project;
mod run;
mod witness;
