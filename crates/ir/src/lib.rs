//! Guarded commands: the language every analysis reads. No C syntax, no solver, no IO.
//!
//! C ─frontend─▶ **gc** ─passes─▶ gc ─passify─▶ **passive** ─solver─▶ formulas
//!
//! Read [`gc`] first: it is the whole language.

pub mod check;
pub mod equal;
pub mod eval;
pub mod expr;
pub mod gap;
pub mod gc;
mod graph;
pub mod interp;
mod lex;
pub mod models;
pub mod parse;
pub mod passes;
pub mod passive;
pub mod precondition;
pub mod print;
pub mod source_map;
pub mod summary;
mod syntax;
pub mod table;
mod text;
pub mod types;
pub mod verify;
