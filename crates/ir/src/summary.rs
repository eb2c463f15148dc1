//! What callers may know of a function without looking at its body.
//!
//! A summary over-approximates: it may forget what the function does, never invent what it does not.

use crate::check::Check;
use crate::gc::{ClassData, Loc};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Summary {
    pub returns: Returns,
    /// What the function (and what it calls) may write and a caller can see; `None`: anything that escaped.
    /// Sorted, without duplicates.
    pub writes: Option<Vec<Write>>,
    pub result: ResultFacts,
    /// May be shorter than the arguments of a call.
    pub params: Vec<ParamFacts>,
    /// Conjunctions over arguments; if one holds at the call, no run returns (it exits, or fails).
    pub leaves_if: Vec<Vec<Atom>>,
    /// Not proofs: a check that can fail if the argument has the bad value and `when` holds.
    pub can_fail: Vec<CanFail>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Returns {
    /// A run that ends without error returns.
    Surely,
    Maybe,
    Never {
        in_error: bool,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Write {
    pub base: Base,
    /// Portable between units; without a type, any class.
    pub class: ClassData,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// Inside the object that the argument points into.
    Param(u32),
    Global(GlobalName),
    /// `errno`, wherever it is (see `gc::Clobber::Errno`).
    Errno,
    Anywhere,
}

/// A global symbol of the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GlobalName {
    /// The identity of the unit, for internal linkage only.
    pub unit: Option<String>,
    /// The linker's name.
    pub name: String,
}

/// A comparison of an argument with a constant of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Atom {
    pub param: u32,
    pub op: AtomOp,
    pub value: u128,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomOp {
    Eq,
    Ne,
    SLt,
    SLe,
    SGt,
    SGe,
    ULt,
    ULe,
    UGt,
    UGe,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ParamFacts {
    /// On every return the pointer argument was not NULL: with NULL every run fails (or does not return).
    pub nonnull: bool,
    pub may_be_freed: bool,
    /// Its address may be kept after the return: stored to memory, returned, given to something unknown.
    pub may_escape: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ResultFacts {
    pub nonnull: bool,
    /// Signed reading of the result's bits, inclusive.
    pub range: Option<(i128, i128)>,
    /// The parameter's value at entry.
    pub equals: Option<u32>,
    /// If not NULL, a block that nothing else points to.
    pub fresh: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CanFail {
    pub param: u32,
    pub check: Check,
    pub when: Vec<Atom>,
    /// The function and the place in it.
    pub place: (String, Loc),
    /// The callees on the way there.
    pub through: Vec<String>,
}

impl Summary {
    /// Of a function of which nothing is known.
    pub fn top() -> Summary {
        Summary {
            returns: Returns::Maybe,
            writes: None,
            result: ResultFacts::default(),
            params: Vec::new(),
            leaves_if: Vec::new(),
            can_fail: Vec::new(),
        }
    }
}
