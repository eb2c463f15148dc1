//! Inferred preconditions (papers/evidence-based-analysis, section 5): what a function expects of its callers although
//! nobody wrote it down. A check in it can fail, and nothing in the function testifies that this happens for legal
//! inputs; so the inputs with which it fails are not legal.
//!
//! Nothing here is a proof, and only `evidence` reads it.

mod input;
mod print;

use crate::summary::GlobalName;
use gainsay_ir::check::Check;
use gainsay_ir::gc::Loc;
use gainsay_ir::types::Type;
pub use input::{Input, Substitution};
use serde::{Deserialize, Serialize};

/// One way to fail: all of `when` and `fails` hold where the function is called. The precondition is that they do not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Precondition {
    /// The tests on the way, which testify to nothing for callers (section 4.6).
    pub when: Vec<Input>,
    /// Tests on the way whose outcome does not matter: who lets callees testify (the paper's ev-9) looks at both.
    pub tested: Vec<Input>,
    /// The check does not hold.
    pub fails: Input,
    pub check: Check,
    /// The calls on the way and, last, the check: the first is in the function itself.
    pub chain: Vec<ProgramPlace>,
    /// What the function with the check expects, in its own terms, if there are words for it.
    pub expects: Option<String>,
}

/// A place in a function that may be of another unit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProgramPlace {
    pub function: String,
    /// As the compiler named it, until somebody makes it readable.
    pub file: String,
    pub line: u32,
    pub column: u32,
}

/// A way through a function from its entry to a check or a call, of which all is known that decides about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputPath {
    pub when: Vec<Input>,
    /// As in [`Precondition`].
    pub tested: Vec<Input>,
    /// Calls on the way that are not known to come back.
    pub may_not_return: Vec<GlobalName>,
    pub end: InputPathEnd,
    pub loc: Loc,
    /// Where that is, once it was looked up.
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

/// The same with less to say: tests that the failure implies are left out. `None` if they exclude it, or if there is
/// nothing that a caller could do.
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
