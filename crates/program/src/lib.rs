//! The whole program: what each function tells its callers, and what each unit may know of the others.
//!
//! While units are read, [`apply_models`] replaces calls of library functions, [`body_facts`] keeps what matters to
//! callers and [`input_paths`] the paths that inputs decide. [`link`] resolves names across units, [`summarize`] and
//! [`preconditions`] go through the call graph bottom-up, [`apply_summaries`] tells a caller what is known of its
//! callees, and [`instrument_calls`] does so for `evidence` alone.
//!
//! Depends on `ir` only: no solver, no IO.

pub mod apply_models;
pub mod apply_summaries;
pub mod body_facts;
pub mod input_paths;
pub mod instrument_calls;
mod limits;
pub mod link;
pub mod models;
pub mod precondition;
pub mod preconditions;
pub mod prepare;
pub mod schedule;
pub mod summarize;
pub mod summary;

pub use apply_models::apply_models;
pub use apply_summaries::apply_summaries;
pub use body_facts::body_facts;
pub use input_paths::input_paths;
pub use instrument_calls::instrument_calls;
