//! Every number that trades effort for answers. A larger value never makes a result wrong.

/// Returned variables of one function that get a slot.
///
/// Unit: variables. Reason: few functions return more; the value of a further one is unknown. Measured: not measured.
pub(crate) const MAX_RETURNED_VARS: usize = 16;

/// Alternatives of one conditional expression that are listed as possible values.
///
/// Unit: values. Reason: more alternatives say little; the value becomes unknown. Measured: not measured.
pub(crate) const MAX_RETURNED_VALUES: usize = 8;

/// Nodes of a conditional expression that are searched for the variables that it copies.
///
/// Unit: nodes. Reason: bounds the walk over shared operands. Measured: not measured.
pub(crate) const MAX_COPY_STEPS: u32 = 32;

/// Rounds in which the control flow of body facts is made smaller.
///
/// Unit: rounds. Reason: every round removes something, and a larger graph is as correct. Measured: not measured.
pub(crate) const MAX_CONDENSE_ROUNDS: u32 = 64;

/// Places in memory of one function whose contents at return are followed.
///
/// Unit: places. Reason: bounds the states of the data-flow analysis. Measured: not measured.
pub(crate) const MAX_EXIT_PLACES: usize = 24;

/// Calls after a store that may change what was stored before the place is forgotten.
///
/// Unit: calls. Reason: each call must be checked against its summary. Measured: not measured.
pub(crate) const MAX_CALLS_SINCE_STORE: usize = 8;

/// Writes in one summary; a longer list is widened to types, to objects and then to "anything".
///
/// Unit: writes. Reason: bounds summaries and what callers encode. Measured: not measured.
pub(crate) const MAX_WRITES: usize = 32;

/// Checks in one summary that can fail because of an argument.
///
/// Unit: checks. Reason: bounds summaries; only suggestions are lost. Measured: not measured.
pub(crate) const MAX_CAN_FAIL: usize = 16;

/// Conditions under which such a check is reached.
///
/// Unit: atoms. Reason: longer conjunctions cannot be shown in a message. Measured: not measured.
pub(crate) const MAX_CAN_FAIL_CONDITIONS: usize = 3;

/// Calls between a function and such a check in a callee.
///
/// Unit: calls. Reason: longer chains convince no reader. Measured: not measured.
pub(crate) const MAX_CAN_FAIL_CHAIN: usize = 6;

/// Rounds after which a range of results that still grows is given up.
///
/// Unit: rounds. Reason: recursion could extend it by one for each of 2^64 rounds. Measured: not measured.
pub(crate) const MAX_RANGE_ROUNDS: usize = 4;

/// Comparisons of parameters that one state of the data-flow analysis remembers.
///
/// Unit: atoms. Reason: bounds the quadratic join of states. Measured: not measured.
pub(crate) const MAX_ATOMS: usize = 12;

/// Conditions on the arguments that are tried, one walk over the body each.
///
/// Unit: conditions. Reason: each costs a walk for each definition. Measured: not measured.
pub(crate) const MAX_CONDITIONS: usize = 12;

/// Largest conjunction of conditions that is tried.
///
/// Unit: atoms. Reason: longer conjunctions are rarely implied by what a caller knows. Measured: not measured.
pub(crate) const MAX_CONJUNCTION: usize = 3;

/// Conditions in one summary under which the function does not return.
///
/// Unit: conditions. Reason: each becomes an assumption or a check at every call. Measured: not measured.
pub(crate) const MAX_LEAVES_IF: usize = 8;

/// Callers that are named as passing NULL; others are only counted.
///
/// Unit: callers. Reason: a message shows no more. Measured: not measured.
pub(crate) const MAX_NAMED_CALLERS: usize = 3;

/// Largest function whose input paths are searched.
///
/// Unit: blocks. Reason: the cost grows with blocks times states. Measured: not measured.
pub(crate) const MAX_BLOCKS: usize = 2_000;

/// Paths that are kept at one block.
///
/// Unit: states. Reason: the number of paths is exponential in the branches. Measured: not measured.
pub(crate) const MAX_PATH_STATES: usize = 6;

/// Paths to one check or call that are kept.
///
/// Unit: paths. Reason: the first ones suffice for a precondition. Measured: not measured.
pub(crate) const MAX_PATHS_PER_END: usize = 3;

/// Paths of one function that are kept.
///
/// Unit: paths. Reason: bounds the interface of a unit. Measured: not measured.
pub(crate) const MAX_INPUT_PATHS: usize = 40;

/// Tests on a path that are remembered although their outcome does not matter.
///
/// Unit: tests. Reason: `instrument_calls` doubles the paths for each. Measured: not measured.
pub(crate) const MAX_IRRELEVANT_TESTS: usize = 3;

/// Largest expression over the inputs of a function.
///
/// Unit: nodes. Reason: larger ones can neither be shown nor compared. Measured: not measured.
pub(crate) const MAX_INPUT_NODES: usize = 24;

/// Inferred preconditions of one function.
///
/// Unit: preconditions. Reason: each is instrumented at every call. Measured: not measured.
pub(crate) const MAX_PRECONDITIONS: usize = 8;

/// Calls between a function and the check that its precondition comes from.
///
/// Unit: calls. Reason: longer chains convince no reader. Measured: not measured.
pub(crate) const MAX_PRECONDITION_CHAIN: usize = 5;

/// Tests on the path to the failing check of a precondition.
///
/// Unit: tests. Reason: a longer condition cannot be shown in a message. Measured: not measured.
pub(crate) const MAX_PRECONDITION_TESTS: usize = 4;

/// Paths into one callee that are put in front of a call.
///
/// Unit: paths. Reason: each is a branch of the instrumented function. Measured: not measured.
pub(crate) const MAX_PATHS_PER_CALL: usize = 6;

/// Checks of callees in one instrumented function.
///
/// Unit: checks. Reason: each is a question of `evidence`. Measured: not measured.
pub(crate) const MAX_CALLEE_CHECKS: usize = 40;
