//! Every number of this crate that trades effort for answers.

use crate::horn::CoverageEffort;
use crate::loops::RoundLimits;
use gainsay_solver::Budget;
use std::time::Duration;

// --- beliefs ---

/// Solver queries of `beliefs` about one function.
///
/// Unit: queries. Reason: bounds the cost of a function with many uses. Measured: not measured.
pub(crate) const BELIEF_QUERIES: u32 = 40;

/// Expressions and variables that are followed to find what a value is computed from.
///
/// Unit: expressions and variables. Reason: the search is repeated for every condition. Measured: not measured.
pub(crate) const BELIEF_ROOT_EXPRESSIONS: usize = 400;

/// Assignments of NULL that are considered as sources of one variable.
///
/// Unit: assignments. Reason: each costs a query. Measured: not measured.
pub(crate) const BELIEF_NULL_SOURCES: usize = 4;

/// Choices in a loaded value that are searched for a stored NULL.
///
/// Unit: terms. Reason: bounds the recursion over nested choices. Measured: not measured.
pub(crate) const BELIEF_LOADED_CHOICES: usize = 200;

/// Fewest calls with a tested result that establish a practice.
///
/// Unit: calls. Reason: fewer calls show no practice. Measured: not measured.
pub(crate) const BELIEF_FEWEST_TESTED_CALLS: u32 = 4;

/// Calls of ten that must test the result to establish a practice.
///
/// Unit: calls of ten. Reason: a practice with more exceptions is no evidence. Measured: not measured.
pub(crate) const BELIEF_TESTED_OF_TEN: u32 = 9;

/// Depth to which arguments that are themselves results of calls are compared.
///
/// Unit: nested calls. Reason: bounds the recursion. Measured: not measured.
pub(crate) const BELIEF_NESTED_CALLS: u32 = 3;

// --- evidence ---

/// Blocks of the unrolled function; a larger function is not analysed.
///
/// Unit: blocks. Reason: bounds the formula of the whole function. Measured: not measured.
pub(crate) const EVIDENCE_BLOCKS: usize = 300;

/// Iterations that are unrolled beyond one visit of each loop head.
///
/// Unit: iterations. Reason: reports that rest on many iterations are rejected by users (evidence-based-analysis,
/// section 6). Measured: not measured.
pub(crate) const EVIDENCE_ITERATIONS: usize = 2;

/// Visits of a loop head from which the setting `many-iterations` applies.
///
/// Unit: visits. Reason: some users object to "exactly five times" (evidence-based-analysis, section 4.3).
/// Measured: not measured.
pub(crate) const EVIDENCE_MANY_ITERATIONS: u32 = 3;

/// Paths that are judged for one check.
///
/// Unit: paths. Reason: each costs at least one query. Measured: not measured.
pub(crate) const EVIDENCE_PATHS_PER_CHECK: usize = 3;

/// Steps from a check through shared inputs of tests to the edges in which the next path must differ.
///
/// Unit: steps. Reason: directly, or through one test in between. Measured: not measured.
pub(crate) const EVIDENCE_RELEVANCE_STEPS: usize = 2;

/// Formula weight of all queries about one function together.
///
/// Unit: term weight. Reason: a query costs time in proportion to the formula, so a large function may make fewer.
/// Measured: not measured.
pub(crate) const EVIDENCE_QUERY_WEIGHT: u64 = 10_000;

/// Fewest queries about one function, whatever its formula weighs.
///
/// Unit: queries. Reason: a failure that is the same on every path takes one or two. Measured: not measured.
pub(crate) const EVIDENCE_LEAST_QUERIES: u64 = 2;

/// Most queries about one function, whatever its formula weighs.
///
/// Unit: queries. Reason: bounds the cost of a small function with many checks. Measured: not measured.
pub(crate) const EVIDENCE_MOST_QUERIES: u64 = 16;

/// Largest formula of a function that is searched for paths.
///
/// Unit: terms. Reason: subterms are visited repeatedly. Measured: not measured.
pub(crate) const EVIDENCE_TERMS: usize = 60_000;

/// Comparisons on a path whose equality is tried as a case of its own.
///
/// Unit: comparisons. Reason: each costs two queries. Measured: not measured.
pub(crate) const EVIDENCE_SPLITS: usize = 6;

/// Stores that are tried, one at a time, as aliases of a load.
///
/// Unit: stores. Reason: each is a case with queries of its own. Measured: not measured.
pub(crate) const EVIDENCE_ALIASES: usize = 2;

/// Steps of a path that a finding shows, the last ones.
///
/// Unit: steps. Reason: longer lists are not read. Measured: not measured.
pub(crate) const EVIDENCE_SHOWN_STEPS: usize = 8;

// --- horn ---

/// Largest product of blocks and pieces for which a Horn problem is built.
///
/// Unit: blocks times (loop heads + 1). Reason: larger problems get no answer in reasonable time. Measured: not
/// measured.
pub(crate) const HORN_BLOCKS: usize = 10_000;

/// Effort of one query for a run with few iterations.
///
/// Unit: conflicts. Reason: the query only saves a Horn query. Measured: not measured.
pub(crate) const COVERAGE_CONFLICTS: u64 = 1_500;

/// Commands of a block of usual size, in which functions are measured.
///
/// Unit: commands. Reason: a few blocks with many commands cost as much as many blocks. Measured: not measured.
pub(crate) const USUAL_BLOCK: usize = 5;

/// Search for covered edges before easy Horn queries.
///
/// Unit: as the fields of [`CoverageEffort`] say. Reason: no solver. Measured: not measured.
pub(crate) const QUICK_COVERAGE: CoverageEffort =
    CoverageEffort { times: [2, 8], blocks: 300, entries: 8, questions: 0, is_long: false };

/// Search for long runs through the edges that are open after the first search.
///
/// Unit: as the fields of [`CoverageEffort`] say. Reason: a run of many iterations costs less than a failed proof.
/// Measured: 2 ms against 36 ms for a query (docs/decisions/014-loop-budget.md).
pub(crate) const LONG_COVERAGE: CoverageEffort =
    CoverageEffort { times: [0, 70], blocks: 1_500, entries: 3, questions: 0, is_long: true };

/// Search for covered edges before queries with a large budget.
///
/// Unit: as the fields of [`CoverageEffort`] say. Reason: every covered edge saves an expensive query. Measured: not
/// measured.
pub(crate) const THOROUGH_COVERAGE: CoverageEffort =
    CoverageEffort { times: [6, 24], blocks: 2_000, entries: 60, questions: 12, is_long: false };

// --- loops ---

/// Limits of the round of easy queries, `--loops=auto`.
///
/// Unit: as the fields of [`RoundLimits`] say. Reason: Horn clauses must not dominate the run. Measured: without limits,
/// Horn clauses cost ten times everything else (docs/decisions/014-loop-budget.md).
pub(crate) const EASY_ROUND: RoundLimits = RoundLimits {
    blocks: 60,
    heads: 3,
    state: 9,
    questions: 6,
    failures: 1,
    strategies: 1,
    budget: Budget { effort: 500, backstop: Duration::from_secs(60) },
    first_budget: Budget { effort: 40, backstop: Duration::from_secs(60) },
    coverage: QUICK_COVERAGE,
};

/// Limits of the second round, `--loops=all`.
///
/// Unit: as the fields of [`RoundLimits`] say. Reason: the user asks for every edge that could matter. Measured: not
/// measured.
pub(crate) const PATIENT_ROUND: RoundLimits = RoundLimits {
    blocks: 2_000,
    heads: 40,
    state: usize::MAX,
    questions: 1_000,
    failures: 1_000,
    strategies: usize::MAX,
    budget: Budget { effort: 6_000, backstop: Duration::from_secs(60) },
    first_budget: Budget { effort: 6_000, backstop: Duration::from_secs(60) },
    coverage: THOROUGH_COVERAGE,
};

/// Cost of queries to simple invariants that prove nothing.
///
/// Unit: loop budget; 1 is half of what `reach` spends on a block. Reason: price in the loop budget. Measured: one
/// unit is about 7 microseconds (date and command not recorded).
pub(crate) const SIMPLE_INVARIANTS_COST: u64 = 500;

/// Cost of a query to the Horn solver that proves nothing.
///
/// Unit: loop budget. Reason: price in the loop budget. Measured: a query costs 36 ms
/// (docs/decisions/014-loop-budget.md).
pub(crate) const HORN_QUERY_COST: u64 = 5_000;

/// Queries that simple invariants usually need.
///
/// Unit: queries. Reason: to estimate the cost before the queries are made. Measured: not measured.
pub(crate) const USUAL_SIMPLE_QUERIES: u64 = 8;

/// Weight of a formula whose query costs one unit of the loop budget.
///
/// Unit: term weight. Reason: price in the loop budget. Measured: not measured.
pub(crate) const WEIGHT_PER_COST: u64 = 16;

/// Commands copied or visited in the search for runs that cost one unit of the loop budget.
///
/// Unit: commands. Reason: price in the loop budget. Measured: not measured.
pub(crate) const SEARCHED_PER_COST: u64 = 24;

/// Loop budget that all units of a small program share.
///
/// Unit: loop budget. Reason: small programs are worth some queries although they cost more than `reach`. Measured:
/// three times the loop budget finds nothing more (docs/decisions/014-loop-budget.md).
pub(crate) const RUN_LOOP_BUDGET: u64 = 20 * HORN_QUERY_COST;

/// Reduction of [`RUN_LOOP_BUDGET`] for each block of the unit.
///
/// Unit: loop budget per block. Reason: only small programs get the shared budget. Measured: not measured.
pub(crate) const RUN_LOOP_BUDGET_PER_BLOCK: u64 = 16;

/// Loop budget of every unit.
///
/// Unit: loop budget. Reason: about one Horn query and what leads to it. Measured: three times the loop budget finds
/// nothing more (docs/decisions/014-loop-budget.md).
pub(crate) const UNIT_LOOP_BUDGET: u64 = 10_000;

/// Budget for the reasons of one Horn proof.
///
/// Unit: conflicts. Reason: a proof without reasons is not reported. Measured: not measured.
pub(crate) const LOOP_REASONS: Budget = Budget { effort: 60_000, backstop: Duration::from_secs(60) };

// --- verify ---

/// Budget of one verification query.
///
/// Unit: conflicts. Reason: the user asked for a proof of this function. Measured: not measured.
pub(crate) const PROOF: Budget = Budget { effort: 400_000, backstop: Duration::from_secs(60) };

/// Visits of each loop head in the search for a counterexample.
///
/// Unit: visits. Reason: the unrolled function grows with it. Measured: not measured.
pub(crate) const COUNTEREXAMPLE_ITERATIONS: u32 = 5;

/// Largest absolute value of an input that is tried first.
///
/// Unit: value. Reason: small numbers are easier to read. Measured: not measured.
pub(crate) const COUNTEREXAMPLE_SMALL_INPUT: u128 = 10;

/// Distance before an object at which a pointer is still written relative to it.
///
/// Unit: bytes. Reason: `a` may point before the only accessible elements `a[8]` and `a[9]`. Measured: not measured.
pub(crate) const COUNTEREXAMPLE_NEAR: u128 = 4096;

/// Budget of one Horn query for an invariant.
///
/// Unit: conflicts. Reason: each open assertion costs one. Measured: not measured.
pub(crate) const INVARIANT: Budget = Budget { effort: 2_000, backstop: Duration::from_secs(60) };

/// Budget for simple invariants that hold independently of any assertion.
///
/// Unit: conflicts. Reason: spent once per function. Measured: not measured.
pub(crate) const SIMPLE_INVARIANTS: Budget = Budget { effort: 20_000, backstop: Duration::from_secs(60) };

/// Open assertions for which invariants are searched.
///
/// Unit: assertions. Reason: each costs a Horn query. Measured: not measured.
pub(crate) const INVARIANT_QUERIES: usize = 8;
