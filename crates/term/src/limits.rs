//! Every number that trades effort for answers. None of them makes a term wrong.

/// Repairs of the assignment before local search gives up on a new condition.
///
/// Unit: changes of an unknown. Reason: what is not found early is left to the solver. Measured: not measured.
pub(crate) const MAX_MOVES: u32 = 16;

/// Unknowns of a condition up to which it is indexed by them; larger ones are checked after every change.
///
/// Unit: variables. Reason: the index would cost more than it saves. Measured: not measured.
pub(crate) const MAX_INDEXED_VARIABLES: usize = 64;

/// Depth to which a term is searched for the bits that can be set.
///
/// Unit: levels. Reason: operands are shared, so the walk could be exponential. Measured: not measured.
pub(crate) const MAX_BITS_DEPTH: u32 = 6;

/// Conjuncts that are compared to find what two conditions have in common.
///
/// Unit: conjuncts. Reason: the comparison is quadratic, and every join needs one. Measured: not measured.
pub(crate) const MAX_CONJUNCTS: usize = 24;
