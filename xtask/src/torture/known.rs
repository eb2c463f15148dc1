//! Programs of gcc's suite that are expected to fail, each with the reason.
//!
//! Only programs whose behaviour the C standard leaves undefined or implementation-defined belong here. A check that
//! stops any other program is a bug of gainsay.

const UNINITIALISED: &str = "reads an uninitialised local variable";
const WIDE_BIT_FIELD: &str =
    "uses bit-fields wider than int, which gcc promotes to their own width and clang to the declared type";

const KNOWN: &[(&str, &str)] = &[
    ("20021127-1", "defines the reserved name llabs; gcc uses its built-in instead"),
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

/// Why the program of this name may fail.
pub(super) fn reason(name: &str) -> Option<&'static str> {
    KNOWN.iter().find(|(known, _)| *known == name).map(|(_, reason)| *reason)
}
