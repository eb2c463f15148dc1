//! What lowering could not model exactly and replaced by something that allows more runs.

use serde::{Deserialize, Serialize};

/// Each gap is counted by kind; none can invent a finding, all can lose one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Gap {
    InlineAsm,
    ComputedGoto,
    VaArg,
    Complex,
    Vector,
    Builtin,
    Atomic,
    /// A float operation or constant outside binary32/binary64.
    WideFloat,
    /// The initialiser of a global that is not a constant we understand.
    Initialiser,
    /// An expression clang hands over in a form that has no meaning here.
    Expression,
    /// setjmp and its like: everything may have changed on a later return.
    ReturnsTwice,
    /// A call whose arguments do not fit the callee's parameters (K&R, casts of function pointers).
    CallMismatch,
    /// A clause of a contract (`/*@ ... */`) that is not understood.
    Contract,
}

impl Gap {
    pub fn name(self) -> &'static str {
        match self {
            Gap::InlineAsm => "inline-asm",
            Gap::ComputedGoto => "computed-goto",
            Gap::VaArg => "va-arg",
            Gap::Complex => "complex",
            Gap::Vector => "vector",
            Gap::Builtin => "builtin",
            Gap::Atomic => "atomic",
            Gap::WideFloat => "wide-float",
            Gap::Initialiser => "initialiser",
            Gap::Expression => "expression",
            Gap::ReturnsTwice => "returns-twice",
            Gap::CallMismatch => "call-mismatch",
            Gap::Contract => "contract",
        }
    }
}
