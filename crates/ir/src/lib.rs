//! Guarded commands: the language every analysis reads. No C syntax, no solver, no IO.
//!
//! C ─frontend─▶ **gc** ─passes─▶ gc ─passify─▶ **passive** ─solver─▶ formulas
//!
//! Read [`gc`] first: it is the whole language. Then [`mod@print`] (its text form), [`passes`] (its transformations) and
//! [`passive`] (what the encoder reads). [`eval`] defines the operators, [`verify`] what is well formed.

pub mod check;
pub mod equal;
pub mod eval;
pub mod expr;
pub mod gap;
pub mod gc;
pub mod graph;
pub mod lex;
mod limits;
pub mod parse;
pub mod passes;
pub mod passive;
pub mod print;
pub mod source_map;
pub mod syntax;
pub mod table;
pub mod text;
pub mod types;
pub mod verify;
