//! Every number that trades effort for answers. A smaller value only allows more runs.

/// Memory versions that one load or liveness question walks back.
///
/// Unit: versions. Reason: the cost of a function must stay near-linear in its size (decision 012). Measured: not measured.
pub(crate) const MAX_MEMORY_STEPS: u32 = 400;

/// Pointers from which one pointer was computed that are checked for being freed.
///
/// Unit: terms. Reason: each is looked up in every memory version. Measured: not measured.
pub(crate) const MAX_POINTER_ORIGINS: usize = 8;

/// Depth of nested if-then-else terms that is split for the heap.
///
/// Unit: levels. Reason: the cases double with each level. Measured: not measured.
pub(crate) const MAX_NESTED_CHOICES: u32 = 4;

/// Stores that one load may alias before its value is unknown.
///
/// Unit: stores. Reason: each makes the term larger. Measured: not measured.
pub(crate) const MAX_ALIAS_CHOICES: usize = 3;

/// Sums that are searched for the object whose address is added.
///
/// Unit: nodes. Reason: operands are shared, so the walk could be exponential. Measured: not measured.
pub(crate) const MAX_SUM_NODES: u32 = 16;

/// Widest operand of a product or quotient of unknowns that is interpreted.
///
/// Unit: bits. Reason: wider ones become tens of thousands of clauses. Measured: not measured.
pub(crate) const MAX_PRODUCT_WIDTH: u32 = 32;

/// Indices at which quantified assumptions are instantiated.
///
/// Unit: terms. Reason: the instances of one assumption grow with a power of them. Measured: not measured.
pub(crate) const MAX_INDICES: usize = 16;

/// Instances of one quantified assumption.
///
/// Unit: instances. Reason: each is a formula over loads. Measured: not measured.
pub(crate) const MAX_INSTANCES: usize = 300;
