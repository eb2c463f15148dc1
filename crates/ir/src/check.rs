//! The kinds of error that lowering asserts against, each with its texts.

use serde::{Deserialize, Serialize};

/// The error that an `assert` excludes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Check {
    /// The address of a load or store is not NULL.
    NullDereference,
    /// The called pointer is not NULL.
    NullCall,
    /// A divisor is not zero.
    DivisionByZero,
    /// INT_MIN / -1.
    DivisionOverflow,
    /// An index lies within its array.
    Bounds,
    /// The accessed bytes lie in one live object.
    InvalidAccess,
    /// The pointer given to `free` is NULL or the start of a live heap block.
    InvalidFree,
    /// A shift amount is less than the width.
    Shift,
    /// Signed arithmetic does not overflow (only where asked for).
    SignedOverflow,
    /// A local was assigned before it is read.
    Uninitialised,
    /// The size of a VLA is not negative.
    VlaSize,
    /// A pointer given to a `nonnull` parameter or library function is not NULL.
    NonnullArgument,
    /// The condition of `assert()`.
    Assertion,
    /// `__builtin_unreachable()`, `unreachable()`.
    Unreachable,
    /// A `noreturn` function does not return.
    NoreturnReturns,
    /// A `requires` clause of the called function.
    Precondition,
    /// An `ensures` clause where the function returns.
    Postcondition,
    /// A loop invariant, whenever control is at the loop's head.
    Invariant,
    /// A loop invariant where the loop is entered.
    InvariantAtEntry,
    /// A loop invariant after an iteration.
    InvariantKept,
    /// An inferred loop invariant, where the loop is entered and after an iteration.
    InvariantFound,
    /// A loop variant decreases and was not negative.
    Variant,
    /// A write is one that `assigns` allows.
    Assigns,
    /// `//@ assert P;`
    Annotation,
    /// `complete behaviors` and `disjoint behaviors`.
    Behaviors,
    /// The called function does not fail with these arguments, as its summary says.
    CalleeFails,
}

/// The row of a check: name in the text form, and what to say of it.
struct Row {
    check: Check,
    name: &'static str,
    holds: &'static str,
    fails: &'static str,
}

const ROWS: &[Row] = &[
    row(Check::NullDereference, "null", "the pointer is not NULL", "a NULL pointer is dereferenced"),
    row(
        Check::NullCall,
        "null-call",
        "the function pointer is not NULL",
        "a NULL function pointer is called",
    ),
    row(Check::DivisionByZero, "division", "the divisor is not zero", "division by zero"),
    row(Check::DivisionOverflow, "division-overflow", "the quotient fits its type", "the quotient overflows"),
    row(Check::Bounds, "bounds", "the index is within bounds", "the index is out of bounds"),
    row(
        Check::InvalidAccess,
        "access",
        "the access stays inside a live object",
        "memory is accessed outside its object or after it was freed",
    ),
    row(Check::InvalidFree, "free", "the pointer may be freed", "the pointer must not be freed"),
    row(Check::Shift, "shift", "the shift amount is less than the width", "the shift amount is out of range"),
    row(Check::SignedOverflow, "overflow", "the result fits its type", "signed overflow"),
    row(
        Check::Uninitialised,
        "uninitialised",
        "the variable is initialised",
        "an uninitialised variable is read",
    ),
    row(Check::VlaSize, "vla-size", "the array's size is not negative", "the array's size is negative"),
    row(Check::NonnullArgument, "nonnull", "the argument is not NULL", "NULL is passed where it must not be"),
    row(Check::Assertion, "assertion", "the assertion holds", "the assertion fails"),
    row(Check::Unreachable, "unreachable", "this is never reached", "code declared unreachable is reached"),
    row(Check::NoreturnReturns, "noreturn", "the function does not return", "a noreturn function returns"),
    row(
        Check::Precondition,
        "precondition",
        "the precondition of the callee holds",
        "the callee's precondition is broken",
    ),
    row(Check::Postcondition, "postcondition", "the postcondition holds", "the postcondition does not hold"),
    row(Check::Invariant, "invariant", "the loop invariant holds", "the loop invariant does not hold"),
    row(
        Check::InvariantAtEntry,
        "invariant-entry",
        "the loop invariant holds at the start",
        "the loop invariant does not hold at the start",
    ),
    row(
        Check::InvariantKept,
        "invariant-kept",
        "an iteration keeps the loop invariant",
        "an iteration breaks the loop invariant",
    ),
    row(
        Check::InvariantFound,
        "invariant-found",
        "the loop invariant that was found holds",
        "the loop invariant that was found does not hold",
    ),
    row(Check::Variant, "variant", "the loop variant decreases", "the loop variant does not decrease"),
    row(
        Check::Assigns,
        "assigns",
        "only what `assigns` names is written",
        "something is written that `assigns` does not name",
    ),
    row(Check::Annotation, "annotation", "the annotation holds", "the annotation does not hold"),
    row(
        Check::Behaviors,
        "behaviors",
        "the behaviors are as complete and disjoint as the contract says",
        "the behaviors are not complete or not disjoint",
    ),
    row(
        Check::CalleeFails,
        "callee",
        "the called function does not fail",
        "the called function fails with these arguments",
    ),
];

const fn row(check: Check, name: &'static str, holds: &'static str, fails: &'static str) -> Row {
    Row { check, name, holds, fails }
}

impl Check {
    pub const ALL: [Check; ROWS.len()] = {
        let mut all = [Check::NullDereference; ROWS.len()];
        let mut i = 0;
        while i < ROWS.len() {
            all[i] = ROWS[i].check;
            i += 1;
        }
        all
    };

    /// The short name used in the text form.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// What is known after the assert.
    pub fn holds(self) -> &'static str {
        self.row().holds
    }

    /// What happens where the assert fails.
    pub fn fails(self) -> &'static str {
        self.row().fails
    }

    pub fn from_name(name: &str) -> Option<Check> {
        ROWS.iter().find(|row| row.name == name).map(|row| row.check)
    }

    fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_the_enum() {
        for check in Check::ALL {
            assert_eq!(check.row().check, check);
            assert_eq!(Check::from_name(check.name()), Some(check));
        }
    }
}
