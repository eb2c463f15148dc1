//! The source text behind a unit: what the analyses ask about places, macros and conditional compilation.

pub(crate) mod conditional;
pub(crate) mod display_path;
pub(crate) mod positions;
