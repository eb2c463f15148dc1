//! Findings go out: what was found, what was covered, and the forms in which both are shown.
//!
//! Plain data and renderers that write to a given stream; nothing here prints, reads files or knows C.

pub mod acsl;
pub mod coverage;
pub mod finding;
pub mod fingerprint;
pub mod loops;
pub mod noise;
pub mod render;
pub mod rules;
#[cfg(test)]
mod sample;
pub mod summary;
pub mod verdict;
pub mod visible;
