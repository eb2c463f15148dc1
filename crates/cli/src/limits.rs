//! Default values of the limits that users can set, and limits of the output.

/// Default of `--unit-timeout`.
///
/// Unit: seconds per unit. Reason: budgets of effort end the analysis of a unit long before; this is a backstop. Measured: not
/// measured.
pub(crate) const UNIT_TIMEOUT: u64 = 300;

/// Default of `--memory-limit`.
///
/// Unit: MB per worker. Reason: a backstop, above what large generated units need. Measured: not measured.
pub(crate) const MEMORY_LIMIT: u64 = 8192;

/// Default of `--cache-limit`.
///
/// Unit: MB. Reason: holds several projects of a few hundred units. Measured: not measured.
pub(crate) const CACHE_LIMIT: u64 = 2048;

/// Largest source file that excerpts are shown from.
///
/// Unit: bytes. Reason: the file is read into memory. Measured: not measured.
pub(crate) const LARGEST_SOURCE: u64 = 256 << 20;
