//! Everything that is known across function boundaries. No solver, no IO.
//!
//! While a unit is read, [`mod@apply_models`] replaces calls of library functions, [`mod@body_facts`] extracts what callers need, and
//! [`mod@input_paths`] the paths that inputs decide. [`link`] resolves names across units. [`summarize`] and [`preconditions`]
//! process the call graph bottom-up. [`mod@apply_summaries`] adds the facts to calls, and [`mod@instrument_calls`] adds inferred
//! preconditions for `evidence`.
//!
//! Read [`summary`] first, then [`mod@body_facts`], [`link`] and [`summarize`]; [`prepare`] shows how they fit together.

pub mod apply_models;
pub mod apply_summaries;
pub mod body_facts;
mod call_rewriter;
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
