//! Inferred preconditions (evidence-based analysis, section 5): what a function expects of its callers without a written
//! contract. A check in it can fail, and nothing in the function testifies that the failing inputs are legal; so they are
//! taken to be illegal.
//!
//! These are no proofs; only `evidence` reads them.

mod input;
mod print;

use crate::summary::GlobalName;
use gainsay_ir::check::Check;
use gainsay_ir::gc::Loc;
use gainsay_ir::types::Type;
pub use input::{Input, Substitution};
use serde::{Deserialize, Serialize};

/// A failure: all of `when` and `fails` hold at entry. The precondition is that they do not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Precondition {
    /// The tests on the path. They are no evidence about the callers (section 4.6).
    pub when: Vec<Input>,
    /// Tests on the path whose outcome does not matter. If callees may testify (the paper's ev-9), both outcomes are tried.
    pub tested: Vec<Input>,
    /// The check does not hold.
    pub fails: Input,
    pub check: Check,
    /// The calls on the path and, last, the check. The first is in the function itself.
    pub chain: Vec<ProgramPlace>,
    /// What the function with the check expects, as C text over its own parameters, if it can be written.
    pub expects: Option<String>,
}

/// A place in a function that may be of another unit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProgramPlace {
    pub function: String,
    /// As the compiler named it; the driver makes it readable.
    pub file: String,
    pub line: u32,
    pub column: u32,
}

/// A path from the entry of a function to a check or call that the inputs alone decide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputPath {
    pub when: Vec<Input>,
    /// As in [`Precondition`].
    pub tested: Vec<Input>,
    /// Calls on the path that may not return.
    pub may_not_return: Vec<GlobalName>,
    pub end: InputPathEnd,
    pub loc: Loc,
    /// The position of `loc`; see [`crate::link::Interface::locate`].
    pub place: ProgramPlace,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum InputPathEnd {
    Fails {
        check: Check,
        fails: Input,
    },
    Calls {
        callee: GlobalName,
        /// `None`: nothing is known of the argument.
        args: Vec<(Type, Option<Input>)>,
        /// Memory is what it was at the entry.
        is_untouched: bool,
    },
}

/// Removes tests that the failure implies. `None` if the tests exclude the failure, or if it does not depend on the inputs.
pub fn simplified(when: Vec<Input>, fails: Input, pointer_bits: u16) -> Option<(Vec<Input>, Input)> {
    if fails.as_bool().is_some() {
        return None;
    }
    let mut kept: Vec<Input> = Vec::new();
    for test in when {
        match test.as_bool() {
            Some(true) => continue,
            Some(false) => return None,
            None => {}
        }
        if test.excludes(&fails, pointer_bits) || kept.iter().any(|other| other.excludes(&test, pointer_bits))
        {
            return None;
        }
        if !fails.implies(&test, pointer_bits) && !kept.contains(&test) {
            kept.push(test);
        }
    }
    Some((kept, fails))
}
