//! Every number of the front end that trades effort for answers.

use std::time::Duration;

/// Nesting depth of response files.
///
/// Unit: files. Reason: builds nest one or two; deeper files are not read. Measured: not measured.
pub(crate) const RESPONSE_FILE_DEPTH: usize = 8;

/// Response files that one command may read.
///
/// Unit: files. Reason: files that name each other expand exponentially; no build comes near. Measured: not measured.
pub(crate) const RESPONSE_FILES: usize = 1_000;

/// Size of the response files of one command together.
///
/// Unit: bytes. Reason: as for `RESPONSE_FILES`. Measured: not measured.
pub(crate) const RESPONSE_BYTES: u64 = 4 << 20;

/// Size of the response files of all commands of a database together.
///
/// Unit: bytes. Reason: each command may stay below its own limit. Measured: not measured.
pub(crate) const RESPONSE_BYTES_OF_DATABASE: u64 = 64 << 20;

/// Time that a cross compiler has to print its include directories.
///
/// Unit: time. Reason: a program that waits for input must not block the run. Measured: not measured.
pub(crate) const COMPILER_QUERY_TIME: Duration = Duration::from_secs(5);

/// Output that is read from a cross compiler.
///
/// Unit: bytes. Reason: real answers have a few kilobytes. Measured: not measured.
pub(crate) const COMPILER_QUERY_BYTES: u64 = 1 << 20;

/// Depth up to which `dump --stage=ast` indents.
///
/// Unit: levels. Reason: the output of a sum of 100,000 terms would be quadratic. Measured: not measured.
pub(crate) const DUMP_INDENTATION: usize = 60;

/// Nesting depth of expressions in annotations.
///
/// Unit: levels. Reason: deeper than a person nests; bounds the parser's recursion. Measured: not measured.
pub(crate) const ANNOTATION_DEPTH: u32 = 60;

/// Letters that a misspelled ACSL keyword may have more or less than the keyword.
///
/// Unit: bytes. Reason: `require`, `invariants`; more would claim comments of other tools. Measured: not measured.
pub(crate) const MISSPELLED_LETTERS: usize = 2;

/// Largest static object whose initialiser is evaluated.
///
/// Unit: bytes. Reason: memory; larger contents are unknown. Measured: not measured.
pub(crate) const STATIC_OBJECT_BYTES: u64 = 64 << 20;

/// Elements of a static array that an initialiser list with a filler may fill.
///
/// Unit: elements. Reason: memory; larger contents are unknown. Measured: not measured.
pub(crate) const STATIC_FILLED_ELEMENTS: u64 = 1 << 20;

/// Elements of a local array that a range initialiser may fill.
///
/// Unit: elements. Reason: one store per element; a larger array is havocked. Measured: not measured.
pub(crate) const LOCAL_FILLED_ELEMENTS: u64 = 4096;

/// Largest volatile aggregate that is copied by single loads.
///
/// Unit: bytes. Reason: one load per word; the copy of a larger one has unknown contents. Measured: not measured.
pub(crate) const VOLATILE_COPY_BYTES: u64 = 256;

/// Longest vector whose operations are expanded.
///
/// Unit: elements. Reason: one operation per element; longer vectors are havocked. Measured: not measured.
pub(crate) const VECTOR_ELEMENTS: u64 = 64;

/// Largest branch condition that is not saved in a temporary.
///
/// Unit: expression nodes. Reason: a condition occurs twice, once negated. Measured: not measured.
pub(crate) const REPEATED_GUARD_NODES: u32 = 24;

/// Longest range of a quantifier in the search for counterexamples.
///
/// Unit: values. Reason: ranges are expanded. Measured: not measured.
pub(crate) const COUNTEREXAMPLE_RANGE: u16 = 4;

/// Largest object of `\valid` in the search for counterexamples.
///
/// Unit: bytes. Reason: small counterexamples are found sooner and are easier to read. Measured: not measured.
pub(crate) const COUNTEREXAMPLE_OBJECT_BYTES: u64 = 64;
