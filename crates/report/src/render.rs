//! One file per output format. Each has a function `write`, which takes findings and a stream.

pub mod json;
mod line_hash;
pub mod sarif;
pub mod snippet;
pub mod source;
pub mod text;
