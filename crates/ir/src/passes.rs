//! Passes: one free function per file, value in, value out. Each has tests in tests/gc, in a folder of its name.
//!
//! Read `prune`, `cut_loops` and `passify` first: every function takes them in this order. `havoc_shared_globals` comes
//! before them. The others prepare a function for Horn clauses.

pub mod constant_float_loops;
pub mod cut_loops;
pub mod elements;
pub mod flags;
pub mod havoc_shared_globals;
pub mod passify;
mod places;
pub mod prune;
pub mod scalars;
pub mod segments;
pub mod unroll;

pub use constant_float_loops::constant_float_loops;
pub use cut_loops::{cut_at_invariants, cut_loops};
pub use elements::{contents, elements};
pub use flags::explicit_flags;
pub use havoc_shared_globals::havoc_shared_globals;
pub use passify::passify;
pub use prune::prune;
pub use scalars::scalars;
pub use segments::{Segments, segments};
pub use unroll::unroll;
