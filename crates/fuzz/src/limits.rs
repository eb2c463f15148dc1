//! Every number of the fuzzer that trades effort for answers.

use std::time::Duration;

/// Mutated inputs of an ordinary test.
///
/// Unit: cases. Reason: keeps the test suite short. Measured: not measured.
pub(crate) const CASES: u64 = 1500;

/// Time of one case.
///
/// Unit: time. Reason: a case takes microseconds, but the machine may be busy. Measured: not measured.
pub(crate) const CASE_TIME: Duration = Duration::from_secs(30);

/// Growth of the process's peak memory.
///
/// Unit: KiB. Reason: no input of this length justifies more. Measured: not measured.
pub(crate) const MEMORY_KIB: u64 = 1 << 20;

/// Longest input.
///
/// Unit: bytes. Reason: longer inputs find nothing that shorter ones do not. Measured: not measured.
pub(crate) const INPUT_BYTES: usize = 64 << 10;
