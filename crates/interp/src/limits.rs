//! The limits of the machine that the interpreter simulates.

/// Commands that a run executes before it is given up, unless the caller says otherwise.
///
/// Unit: commands. Reason: a random program may never end. Measured: not measured.
pub(crate) const MOST_STEPS: u64 = 1_000_000_000;

/// Most registers of all frames together; more count as a stack overflow.
///
/// Unit: registers of 16 bytes. Reason: endless recursion must end before memory does. Measured: not measured.
pub(crate) const MOST_REGISTERS: usize = 1 << 25;

/// What a call takes of the program's stack at least.
///
/// Unit: bytes. Reason: endless recursion of functions without objects must end, too. Measured: not measured.
pub(crate) const SMALLEST_FRAME: u64 = 64;

/// Size of the program's stack.
///
/// Unit: bytes. Reason: eight times the usual limit of a process. Measured: not measured.
pub(crate) const STACK_BYTES: u64 = 64 << 20;

/// Size of the program's heap; an allocation beyond it fails.
///
/// Unit: bytes. Reason: a run must not exhaust the memory of the machine. Measured: not measured.
pub(crate) const HEAP_BYTES: u64 = 1 << 30;

/// Largest width or precision of a conversion of `printf`.
///
/// Unit: characters. Reason: a hostile format must not exhaust memory. Measured: not measured.
pub(crate) const LARGEST_FIELD: i32 = 1 << 20;
