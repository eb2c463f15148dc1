//! The naive twin of `reach`: universal-reachability, sections 2 to 4, written as a program.
//!
//! The paper's language ([`syntax`]), its wedges ([`wedges`], Figures 3 and 6) and its weakest preconditions
//! ([`wp`], Figure 4) are implemented literally, over so few stores that every predicate is a set of stores
//! ([`store`]). All runs of the operational semantics ([`execute`]) give the expected answers, and [`fast`] asks the
//! engine of the product. `theorems` and `engine` compare them on random programs
//! ([`generate`]), `files` on those in tests/naive.
//!
//! [`horn`] does the same for loops that are not cut, and [`crumbs`] is its naive twin.

#![allow(unreachable_pub)] // a test has no callers; `pub` marks what other modules use

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
