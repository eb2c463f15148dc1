//! Passes: one free function per file, value in, value out.

pub mod cut_loops;
pub mod passify;
pub mod prune;

pub use cut_loops::cut_loops;
pub use passify::passify;
pub use prune::prune;
