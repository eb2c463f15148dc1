//! Findings go out: what was found, what was covered, and the forms in which both are shown.
//!
//! Plain data and renderers that write to a given stream; nothing here prints, reads files or knows C.

pub mod coverage;
pub mod finding;
pub mod json;
pub mod noise;
pub mod rules;
pub mod text;
