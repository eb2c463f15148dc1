//! Findings and coverage as data, and renderers for them.
//!
//! Read [`finding`] and [`coverage`] first, then [`rules`] and [`noise`] (the tables of what can be reported and hidden), then
//! `render`. Renderers write to a given stream; nothing here prints, reads files or knows C.

pub mod acsl;
pub mod coverage;
pub mod finding;
pub mod fingerprint;
mod limits;
pub mod loops;
pub mod noise;
pub mod render;
pub mod rules;
#[cfg(test)]
mod sample;
pub mod summary;
pub mod verdict;
pub mod visible;
