//! The naive twin of `reach`: papers/universal-reachability, sections 2 to 4, as a program.
//!
//! The paper's language ([`syntax`]), its wedges ([`wedges`], Figures 3 and 6) and its weakest preconditions
//! ([`wp`], Figure 4) are written down literally over so few stores that every predicate is a set of them
//! ([`store`]). A run of the operational semantics ([`execute`]) says what the answers should be, and [`fast`]
//! asks the engine that the product uses. `theorems` and `engine` compare them on random programs
//! ([`generate`]), `files` on those in tests/naive.
//!
//! [`horn`] does the same for loops that are not cut, and [`crumbs`] is the naive twin of that.

#![allow(unreachable_pub)] // a test has no callers; `pub` says what the other modules use

#[path = "../common/comparison.rs"]
mod comparison;
mod crumbs;
mod engine;
mod execute;
mod fast;
mod files;
mod generate;
mod horn;
mod parse;
mod print;
#[path = "../common/program_files.rs"]
mod program_files;
mod store;
mod syntax;
mod theorems;
#[path = "../common/tokens.rs"]
mod tokens;
mod translate;
mod verify;
mod wedges;
mod wp;
