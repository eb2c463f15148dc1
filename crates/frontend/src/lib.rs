//! C comes in: the only crate that knows clang.
//!
//! compile command ─`compile_db`─▶ clang's driver ─`clang`─▶ [`ast::Unit`] ─`lower`─▶ `gc::Unit`

pub mod ast;
pub mod clang;
pub mod compile_db;
mod contract;
pub mod dump;
#[cfg(test)]
mod fuzz;
pub mod lower;
pub mod probes;
mod raw;
