//! Every number that trades effort for answers. None of them makes an answer wrong.

use std::time::Duration;

/// Time for the question that shows whether a solver answers at all.
///
/// Unit: seconds. Reason: the answer takes no time; only a hanging program reaches it. Measured: not measured.
pub(crate) const HEALTH_CHECK_TIME: Duration = Duration::from_secs(20);

/// Time for `--version`.
///
/// Unit: seconds. Reason: only a hanging program reaches it. Measured: not measured.
pub(crate) const VERSION_TIME: Duration = Duration::from_secs(20);

/// Longest answer that is read.
///
/// Unit: bytes. Reason: a longer one is no answer to any question asked here. Measured: not measured.
pub(crate) const MAX_ANSWER: usize = 16 << 20;

/// Longest part of the output of a failed solver that is shown.
///
/// Unit: characters. Reason: it becomes part of a message. Measured: not measured.
pub(crate) const MAX_SHOWN_OUTPUT: usize = 200;

/// Longest part of an answer that is shown if it is not understood.
///
/// Unit: bytes. Reason: it becomes part of a message. Measured: not measured.
pub(crate) const MAX_SHOWN_ANSWER: usize = 120;

/// Deepest expression that is printed without a definition.
///
/// Unit: levels. Reason: parsers may recurse, and deeper expressions are unreadable. Measured: not measured.
pub(crate) const MAX_PRINT_DEPTH: u32 = 24;

/// Deepest answer that is read.
///
/// Unit: levels. Reason: every term in a query has a name, so answers are flat. Measured: not measured.
pub(crate) const MAX_ANSWER_DEPTH: usize = 1000;

/// Widest bit-vector that is translated to integers.
///
/// Unit: bits. Reason: wider ones are unknowns; Spacer is slow on large constants. Measured: not measured.
pub(crate) const MAX_INTEGER_WIDTH: u32 = 64;

/// Largest invariant of Spacer that is read.
///
/// Unit: nodes. Reason: definitions are copied, so a short text can be a large formula. Measured: not measured.
pub(crate) const MAX_FORMULA_NODES: usize = 20_000;

/// Candidates that local search may fail to refute before the solver is asked.
///
/// Unit: candidates. Reason: the remaining ones are likely to hold. Measured: not measured.
pub(crate) const MAX_FAILED_GUESSES: usize = 12;

/// Constants that arguments of one width are compared with, smallest first.
///
/// Unit: constants. Reason: candidates are arguments times constants. Measured: not measured.
pub(crate) const MAX_CONSTANTS: usize = 12;

/// Arguments of a point up to which they are compared with each other.
///
/// Unit: arguments. Reason: candidates grow with the square. Measured: not measured.
pub(crate) const MAX_COMPARED_ARGUMENTS: usize = 12;

/// Candidates at one point beyond which only bounds are tried.
///
/// Unit: candidates. Reason: every query contains all of them. Measured: not measured.
pub(crate) const MAX_CANDIDATES: usize = 250;

/// Queries of one Houdini run.
///
/// Unit: queries. Reason: each drops at least one candidate, usually many. Measured: not measured.
pub(crate) const MAX_HOUDINI_QUERIES: u32 = 200;

/// Effort of one Houdini query.
///
/// Unit: conflicts. Reason: further queries follow. Measured: not measured.
pub(crate) const HOUDINI_CONFLICTS: u64 = 4_000;

/// Attempts to shorten the invariants of one proof.
///
/// Unit: queries. Reason: they only make the explanation shorter. Measured: not measured.
pub(crate) const MAX_TRIM_ATTEMPTS: usize = 80;

/// Effort of all these attempts.
///
/// Unit: conflicts. Reason: they only make the explanation shorter. Measured: not measured.
pub(crate) const TRIM_CONFLICTS: u64 = 30_000;

/// Conflicts of the invariant check for each unit of effort of the Horn solver.
///
/// Unit: conflicts. Reason: a conflict of the bit-vector solver costs about a fortieth of such a unit. Measured: about a fortieth; no record in docs/measurements.md.
pub(crate) const CHECK_CONFLICTS_PER_EFFORT: u64 = 10;
