//! Every number of this crate that trades effort for answers.
//!
//! Budgets are counted in effort (solver conflicts), never in time, so that results do not depend on the machine
//! (docs/decisions/005-effort-not-time.md). The backstop of a [`Budget`] only ends a solver that hangs.

use crate::horn::CoverageEffort;
use crate::loops::RoundLimits;
use gainsay_solver::Budget;
use std::time::Duration;

// --- reach, witness, explain, boundary, wording ---

/// Budget of one question about a small function; `reach::scaled` lowers it for large formulas.
///
/// Unit: conflicts. Reason: bounds one question. Measured: not measured.
pub const QUESTION: Budget = Budget { effort: 20_000, backstop: Duration::from_secs(60) };

/// Budget of one question to the second solver.
///
/// Unit: conflicts. Reason: the question is smaller than the first solver's, the solver slower. Measured: not measured.
pub(crate) const CONFIRMATION: Budget = Budget { effort: 40_000, backstop: Duration::from_secs(60) };

/// Weight of a formula up to which a question has the full budget.
///
/// Unit: weight of a formula. Reason: a conflict in a large formula costs more, so fewer are allowed. Measured: not
/// measured.
pub(crate) const FULL_BUDGET_WEIGHT: u64 = 500;

/// Effort that a question has at least, however large the formula.
///
/// Unit: conflicts. Reason: a large formula still needs some conflicts to be decided. Measured: not measured.
pub(crate) const LEAST_EFFORT: u64 = 600;

/// Effort of all questions of `reach` about one function, in questions that use up their budget.
///
/// Unit: questions. Reason: bounds a function in which many questions are hard. Measured: not measured.
pub(crate) const EXHAUSTED_QUESTIONS: u64 = 3;

/// Weight of all formulas that `reach` asks about in one function.
///
/// Unit: weight of a formula. Reason: even an easy question costs time in proportion to its formula. Measured: not
/// measured.
pub(crate) const QUESTION_WEIGHT: u64 = 1_500_000;

/// Questions that a function may ask although [`QUESTION_WEIGHT`] is used up.
///
/// Unit: questions. Reason: a huge function still deserves a few. Measured: not measured.
pub(crate) const LEAST_QUESTIONS: u32 = 8;

/// Edges share a question while the blocks of runs through them are at most this many times those of the first edge.
///
/// Unit: factor. Reason: small slices are easier than the whole function. Measured: the number not;
/// slices as such in docs/decisions/007-slices.md.
pub(crate) const GROUP_GROWTH: usize = 2;

/// Questions about boundary values of one function.
///
/// Unit: questions. Reason: a function with many possible boundary values is not worth more. Measured: not measured.
pub(crate) const BOUNDARY_QUESTIONS: u64 = 16;

/// Blocks that all questions about must-pass blocks of one function look at.
///
/// Unit: blocks. Reason: every such question looks at the whole function once. Measured: not measured.
pub(crate) const MUST_PASS_BLOCKS: usize = 20_000;

/// Questions about must-pass blocks that every function may ask.
///
/// Unit: questions. Reason: a huge function still deserves a few. Measured: not measured.
pub(crate) const LEAST_MUST_PASS_QUESTIONS: usize = 8;

/// How far below an edge a check is looked for that the boundary value could break.
///
/// Unit: blocks. Reason: bounds the search below each edge. Measured: not measured.
pub(crate) const BLOCKS_TO_CHECK: usize = 64;

/// Variables that are followed to find out what an expression is computed from.
///
/// Unit: variables. Reason: bounds the cost of long chains of definitions. Measured: not measured.
pub(crate) const FOLLOWED_VARIABLES: usize = 64;

/// Definitions that are tried out to find those that a contradiction needs.
///
/// Unit: definitions. Reason: each costs a question. Measured: not measured.
pub(crate) const TRIED_DEFINITIONS: usize = 16;

/// Failed attempts after which a goal is left to the solver.
///
/// Unit: attempts. Reason: keeps one goal from using up all entries. Measured: not measured.
pub(crate) const ATTEMPTS_PER_GOAL: u8 = 16;

/// Times that one attempt may turn back.
///
/// Unit: turns. Reason: bounds one attempt. Measured: not measured.
pub(crate) const TURNS_PER_ATTEMPT: u32 = 40;

/// Entries of blocks that the search for witnesses of a function may always make.
///
/// Unit: entries. Reason: small functions are searched thoroughly. Measured: not measured.
pub(crate) const LEAST_ENTRIES: usize = 2_000;

/// Average entries of a block before the rest is left to the solver.
///
/// Unit: entries. Reason: bounds the search in proportion to the function. Measured: not measured.
pub(crate) const ENTRIES_PER_BLOCK: usize = 60;

/// Average entries of a block in the search that follows a run of a solver's model.
///
/// Unit: entries. Reason: only edges near that run are likely to be found. Measured: not measured.
pub(crate) const ENTRIES_PER_MODEL: usize = 4;

/// New edges on one run from which on the search starts again from the first choice.
///
/// Unit: edges. Reason: such a run changes which goals are near. Measured: not measured.
pub(crate) const LARGE_GAIN: u32 = 4;

/// Plans that are tried for one edge.
///
/// Unit: plans. Reason: bounds the search for one edge. Measured: the number not; plans as such in
/// docs/decisions/010-planned-witnesses.md.
pub(crate) const PLANS_PER_EDGE: u32 = 8;

/// Blocks that a plan may look at for the price of one entry.
///
/// Unit: blocks. Reason: to look at a block costs less than to execute it. Measured: not measured.
pub(crate) const LOOKS_PER_ENTRY: usize = 8;

/// Variables that a plan follows to their origins.
///
/// Unit: variables. Reason: bounds the cost of a plan. Measured: not measured.
pub(crate) const PLAN_VARIABLES: usize = 128;

/// Variables that are followed to find the choice that made a condition fail.
///
/// Unit: variables. Reason: beyond it any choice may be to blame. Measured: not measured.
pub(crate) const CULPRIT_VARIABLES: usize = 64;

/// Exact runs in search of a boundary value.
///
/// Unit: runs. Reason: bounds the search. Measured: not measured.
pub(crate) const EXACT_RUNS: u32 = 64;

/// Questions for inputs of exact runs, for one boundary value.
///
/// Unit: questions. Reason: several questions may be needed for one run. Measured: not measured.
pub(crate) const INPUT_QUESTIONS: u32 = 96;

/// Budget of one question for inputs.
///
/// Unit: conflicts. Reason: there are many of them, and other inputs will do. Measured: not measured.
pub(crate) const INPUT_QUESTION: Budget = Budget { effort: 2_000, backstop: Duration::from_secs(20) };

/// Inputs below this are tried first.
///
/// Unit: value of an input. Reason: a loop that runs so often is executed quickly. Measured: not measured.
pub(crate) const SMALL_INPUT: u128 = 256;

/// Inputs below this are tried next.
///
/// Unit: value of an input. Reason: a loop that runs so often can still be executed. Measured: not measured.
pub(crate) const MEDIUM_INPUT: u128 = 1 << 16;

/// Commands of one exact run.
///
/// Unit: commands. Reason: ends runs that do not terminate. Measured: not measured.
pub(crate) const STEPS_PER_RUN: u64 = 1_500_000;

/// Commands of all exact runs for one boundary value.
///
/// Unit: commands. Reason: bounds the time of the search. Measured: not measured.
pub(crate) const STEPS_PER_SEARCH: u64 = 8_000_000;

/// Times that the other outcome is tried at one branch.
///
/// Unit: attempts. Reason: keeps one loop from using up all runs. Measured: not measured.
pub(crate) const FORKS_PER_BRANCH: u32 = 32;

/// Deepest expression that an exact run evaluates.
///
/// Unit: nested operands. Reason: bounds the stack. Measured: not measured.
pub(crate) const NESTED_OPERANDS: u32 = 500;

/// Deepest nesting of calls in an exact run.
///
/// Unit: frames. Reason: bounds the stack. Measured: not measured.
pub(crate) const NESTED_CALLS: usize = 24;

/// Conditions of an exact run that are recorded.
///
/// Unit: conditions. Reason: questions grow with them; what comes later is not steered. Measured: not measured.
pub(crate) const RECORDED_CONDITIONS: usize = 1_500;

/// Largest copy of memory that an exact run makes byte by byte.
///
/// Unit: bytes. Reason: beyond it the content is taken to be unknown. Measured: not measured.
pub(crate) const COPIED_BYTES: u64 = 1 << 16;

/// Longest expression that a message quotes.
///
/// Unit: characters. Reason: longer ones are hard to read. Measured: not measured.
pub(crate) const QUOTED_LENGTH: usize = 60;

/// Deepest expression that is put into C.
///
/// Unit: nested operands. Reason: deeper ones exceed [`QUOTED_LENGTH`]. Measured: not measured.
pub(crate) const QUOTED_DEPTH: u32 = 8;

// --- loops, horn, beliefs, evidence, verify ---

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
