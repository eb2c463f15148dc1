//! Programs of gcc's suite that are not expected to run to their end, each with the reason.
//!
//! Only what the C standard leaves undefined or to the implementation belongs here. Checks that stop a program for a
//! reason of its own making are right; a check that stops any other program is an error of ours.

const UNINITIALISED: &str = "reads a local variable that has no value";
const WIDE_BIT_FIELD: &str = "computes with bit-fields wider than int: in their own width with gcc, in the declared type with clang and here";

const KNOWN: &[(&str, &str)] = &[
    ("20021127-1", "defines llabs itself, a reserved name: gcc uses its own in spite of that"),
    ("20030404-1", UNINITIALISED),
    ("20031003-1", "converts a float to an int that cannot hold it"),
    ("20171008-1", UNINITIALISED),
    ("20190820-1", UNINITIALISED),
    ("921202-1", UNINITIALISED),
    ("930719-1", UNINITIALISED),
    ("bitfld-3", WIDE_BIT_FIELD),
    ("bitfld-5", WIDE_BIT_FIELD),
    ("pr32244-1", WIDE_BIT_FIELD),
    ("pr34099", UNINITIALISED),
    ("pr34099-2", UNINITIALISED),
    ("pr34971", WIDE_BIT_FIELD),
    ("pr43629", UNINITIALISED),
    ("pr79286", UNINITIALISED),
];

/// Why the program of this name may end differently.
pub(super) fn reason(name: &str) -> Option<&'static str> {
    KNOWN.iter().find(|(known, _)| *known == name).map(|(_, reason)| *reason)
}
