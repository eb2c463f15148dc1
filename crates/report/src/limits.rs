//! Limits of what is shown.

/// Entries of each list in the summary; the rest is counted.
///
/// Unit: entries. Reason: the summary stays on one screen; the JSON lists all. Measured: not measured.
pub(crate) const LISTED_ENTRIES: usize = 10;

/// Distance of places in one file up to which they share an excerpt.
///
/// Unit: lines. Reason: an excerpt shows every place in order, and larger gaps are elided anyway. Measured: not measured.
pub(crate) const EXCERPT_DISTANCE: u32 = 100;

/// Longest source line that is shown.
///
/// Unit: bytes. Reason: longer lines are generated and not readable. Measured: not measured.
pub(crate) const LONGEST_LINE: usize = 10_000;
