//! Passes: one free function per file, value in, value out.

pub mod apply_models;
pub mod apply_summaries;
pub mod cut_loops;
pub mod elements;
pub mod flags;
pub mod hold_calls;
pub mod orbits;
pub mod passify;
mod places;
pub mod prune;
pub mod read_anew;
pub mod scalars;
pub mod segments;
pub mod skeleton;
pub mod unroll;
pub mod ways;

pub use apply_models::apply_models;
pub use apply_summaries::{Callees, apply_summaries};
pub use cut_loops::{cut_at_invariants, cut_loops};
pub use elements::{contents, elements};
pub use flags::explicit_flags;
pub use hold_calls::hold_calls;
pub use orbits::orbits;
pub use passify::passify;
pub use prune::prune;
pub use read_anew::read_anew;
pub use scalars::scalars;
pub use segments::{Segments, segments};
pub use skeleton::skeleton;
pub use unroll::unroll;
pub use ways::ways;
