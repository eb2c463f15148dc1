//! The limits of a run: how long, how often and how much. User-visible limits (time and memory of a unit, size of the cache)
//! are options of the command line.

use std::time::Duration;

/// Stack of the thread that parses and lowers.
///
/// Unit: bytes. Reason: clang's parser and our lowering recurse as deeply as the source nests; unused address space costs
/// nothing. Measured: not measured.
pub(crate) const STACK_BYTES: usize = 256 << 20;

/// Time between two checks whether the user interrupted the run or a unit ran out of time.
///
/// Unit: time. Reason: short enough for a person, long enough to cost nothing. Measured: not measured.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// How much of a worker's standard error is kept to explain its death.
///
/// Unit: bytes. Reason: messages of the allocator and the runtime are a few lines. Measured: not measured.
pub(crate) const KEPT_STDERR: usize = 4096;

/// How much of a file is searched for zero bytes, which C source does not have.
///
/// Unit: bytes. Reason: binary formats have zero bytes in their headers. Measured: not measured.
pub(crate) const BINARY_PROBE: u64 = 8192;

/// Longest part of a source path in the name of a transcript folder.
///
/// Unit: bytes. Reason: file systems allow 255 bytes in a name, and a hash follows. Measured: not measured.
pub(crate) const LONGEST_FOLDER_NAME: usize = 200;

/// Age after which an unfinished cache file is removed.
///
/// Unit: time. Reason: no run takes this long to write a file, so its writer is dead. Measured: not measured.
pub(crate) const ABANDONED_AFTER: Duration = Duration::from_secs(3600);

/// Time stamps closer than this may be equal although the file changed in between.
///
/// Unit: time. Reason: the coarsest time stamps of common file systems have a granularity of two seconds. Measured: not measured.
pub(crate) const TIMESTAMP_GRANULARITY: Duration = Duration::from_secs(2);

/// How many rewrites of a unit's cache file an unused entry survives.
///
/// Unit: rewrites. Reason: keeps the entries of a branch that is checked out again soon. Measured: not measured.
pub(crate) const IDLE_REWRITES: u8 = 4;

/// How often invariants that do not hold are dropped and the rest is proved again.
///
/// Unit: rounds per function. Reason: each round proves the whole function. Measured: not measured.
pub(crate) const INVARIANT_ROUNDS: u32 = 4;

/// How many proofs the search for the fewest invariants may cost.
///
/// Unit: proofs per function. Reason: only `verify --emit-acsl` pays it, for shorter patches. Measured: not measured.
pub(crate) const MINIMIZATION_PROOFS: u32 = 60;
