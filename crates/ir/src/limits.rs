//! The limits of the passes.

/// Most values of a float that are followed through a loop.
///
/// Unit: iterations. Reason: each value is computed and stored; longer loops are given up. Measured: not measured.
pub(crate) const LONGEST_FLOAT_LOOP: usize = 100_000;

/// Most constants that a float may hold where a loop is entered.
///
/// Unit: values. Reason: the loop is computed once for each of them. Measured: not measured.
pub(crate) const MOST_FLOAT_STARTS: usize = 4;

/// Most values of a float loop that are kept to be shown.
///
/// Unit: values. Reason: a reader needs the first ones only. Measured: not measured.
pub(crate) const SHOWN_FLOAT_VALUES: usize = 8;

/// Most elements of all arrays of a function that are followed to see whether they were written.
///
/// Unit: elements. Reason: each adds a Boolean to the state of every loop. Measured: not measured.
pub(crate) const MOST_ELEMENT_FLAGS: usize = 8;

/// Most elements of one array that are followed.
///
/// Unit: elements. Reason: each adds a variable to the state of every loop. Measured: not measured.
pub(crate) const MOST_ELEMENTS: usize = 4;

/// Largest local object that becomes variables.
///
/// Unit: elements or members. Reason: an access at an unknown index costs an if-then-else for each. Measured: not measured.
pub(crate) const MOST_OBJECT_CELLS: u64 = 16;

/// Most places in memory whose contents are carried round a loop.
///
/// Unit: places of one loop. Reason: more make the Horn problem too large. Measured: not measured.
pub(crate) const MOST_LOOP_CELLS: usize = 8;

/// Largest address of a place that is carried round a loop.
///
/// Unit: expressions. Reason: a larger address is unlikely to stay the same in the loop. Measured: not measured.
pub(crate) const LARGEST_ADDRESS: usize = 12;
