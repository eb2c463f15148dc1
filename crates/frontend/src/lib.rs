//! The front end: from C and compiler flags to guarded commands. The only crate that knows clang or C syntax.
//!
//! ```text
//! compile command ──compile_db──▶ driver arguments ──clang──▶ ast::Unit ──lower──▶ gc::Unit
//!                                                                comments ──contract──▶ ┘
//! ```
//!
//! Read first: [`clang::ast`] (what clang hands over), then [`lower`] and its `function`, `stmt` and `expr` (what it
//! means), then `lower::checks` (the only place where undefined behaviour becomes `assert`). `contract` is the syntax of
//! annotations; `lower::contract` gives them their meaning.

pub mod clang;
pub mod compile_db;
mod contract;
pub mod lower;

#[cfg(test)]
mod fuzz;
mod limits;
