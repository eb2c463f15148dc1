//! The naive twin of `beliefs`: semantic-inconsistency-inference, sections 2 to 4, as a program.
//!
//! The toy language ([`syntax`]), guards as sets of argument values ([`guard`]), the rules of Figure 1
//! ([`infer`]), Definitions 3 to 5 ([`errors`]), Definitions 6 and 7 with their application at calls
//! ([`summary`]), and the rewriting of section 3.3 ([`elaborate`]) follow the paper literally. An interpreter
//! ([`execute`]) provides the ground truth; `properties` compares both on random programs ([`generate`]), and
//! `files` checks the programs of tests/beliefs, which include every example of the paper.

#![allow(unreachable_pub)] // a test has no callers; `pub` says what the other modules use

mod elaborate;
mod errors;
mod execute;
mod feasible;
mod files;
mod generate;
mod guard;
mod infer;
mod parse;
#[path = "../common/program_files.rs"]
mod program_files;
mod properties;
mod summary;
mod syntax;
#[path = "../common/tokens.rs"]
mod tokens;
