//! Every number of this crate that trades effort for answers.
//!
//! Budgets are counted in effort (solver conflicts), never in time, so that results do not depend on the machine
//! (docs/decisions/005-effort-not-time.md). The backstop of a [`Budget`] only ends a solver that hangs.

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
