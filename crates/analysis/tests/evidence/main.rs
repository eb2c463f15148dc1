//! The naive twin of `evidence`: evidence-based-analysis, sections 3 to 6, as a program.
//!
//! A small language ([`syntax`]) becomes a graph whose edges have kinds ([`graph`]); the settings of Table 1
//! define which kinds testify ([`setting`]); paths are enumerated, and both conditions of a falsification are
//! decided input by input ([`paths`]). There are no optimisations, so that the engine can be compared with
//! it. An interpreter of the text ([`execute`]) confirms the result on random programs ([`generate`],
//! `properties`); `files` checks the programs of tests/evidence, which include every figure of the paper.

#![allow(unreachable_pub)] // a test has no callers; `pub` says what the other modules use

#[path = "../common/comparison.rs"]
mod comparison;
mod execute;
mod files;
mod generate;
mod graph;
mod parse;
mod paths;
#[path = "../common/program_files.rs"]
mod program_files;
mod properties;
mod setting;
mod syntax;
#[path = "../common/tokens.rs"]
mod tokens;
