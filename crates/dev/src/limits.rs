//! Budgets of the developer commands.

use gainsay_solver::Budget;
use std::time::Duration;

/// Budget of a query of `edges`.
///
/// Unit: solver effort (conflicts), with a time limit as a backstop. Reason: oracles compare every edge, so nearly all must be
/// decided. Measured: not measured.
pub(crate) const EDGE_BUDGET: Budget = Budget { effort: 2_000_000, backstop: Duration::from_secs(60) };

/// Time limit of a Horn query.
///
/// Unit: time per query. Reason: a backstop; effort ends a query before. Measured: not measured.
pub(crate) const HORN_BACKSTOP: Duration = Duration::from_secs(60);

/// Effort of a Horn query when executed edges are checked.
///
/// Unit: solver effort. Reason: the oracle makes many queries. Measured: not measured.
pub(crate) const ORACLE_HORN_EFFORT: u64 = 300;

/// Default of `horn --effort`.
///
/// Unit: solver effort. Reason: more than `check` spends, for looking at hard loops. Measured: not measured.
pub(crate) const HORN_EFFORT: u64 = 6_000;

/// How many edges of a function are checked with Horn clauses.
///
/// Unit: edges per function. Reason: all of them would take too long. Measured: not measured.
pub(crate) const CHECKED_EDGES: usize = 12;

/// Default of `run-gc --steps`.
///
/// Unit: commands. Reason: more than every test program needs; stops endless programs. Measured: not measured.
pub(crate) const INTERPRETER_STEPS: u64 = 100_000_000;
