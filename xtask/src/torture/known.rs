//! Programs of gcc's suite that are not expected to run to their end, each with the reason.
//!
//! Only what the C standard leaves undefined, and what our checks therefore rightly stop, belongs here.

const KNOWN: &[(&str, &str)] = &[];

/// Why the program of this name fails a check, if it is meant to.
pub(super) fn reason(name: &str) -> Option<&'static str> {
    KNOWN.iter().find(|(known, _)| *known == name).map(|(_, reason)| *reason)
}
