//! The naive twin of `evidence`: papers/evidence-based-analysis, sections 3 to 6, as a program.
//!
//! A small language ([`syntax`]) becomes a graph whose edges have kinds ([`graph`]); the settings of Table 1 say which
//! kind testifies ([`setting`]); paths are enumerated and both conditions of a falsification decided for all inputs
//! one by one ([`paths`]). Nothing is clever, so that what the engine finds can be compared with it. An interpreter of
//! the text ([`execute`]) confirms it on random programs ([`generate`], `properties`); `files` reads tests/evidence, where
//! every figure of the paper is.

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
