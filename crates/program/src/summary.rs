//! Summaries: what callers may know of a function without its body.
//!
//! A summary over-approximates: whatever it does not exclude may happen.

mod atom;
mod print;

use crate::limits::MAX_WRITES;
pub use atom::{Atom, AtomOp};
use gainsay_ir::check::Check;
use gainsay_ir::gc::{ClassData, Loc};
use gainsay_ir::types::Type;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Summary {
    pub returns: Returns,
    /// What the function (and what it calls) may write and a caller can see; `None`: anything that escaped.
    /// Sorted, without duplicates, at most `MAX_WRITES`.
    pub writes: Option<Vec<Write>>,
    pub result: ResultFacts,
    /// May be shorter than the arguments of a call: see [`Summary::param`].
    pub params: Vec<ParamFacts>,
    /// Conjunctions over arguments; if one holds at the call, no run returns (it exits, or fails).
    pub leaves_if: Vec<Vec<Atom>>,
    /// Places in memory of which something is known whenever the function returns. In order.
    pub exit_state: Vec<ExitFact>,
    /// No proofs, for `beliefs` and `evidence`: checks that can fail if the argument is NULL or zero and `when` holds.
    pub can_fail: Vec<CanFail>,
    /// No proof: some return gives NULL, or a value that may be NULL.
    pub may_return_null: bool,
    /// No proof: parameters that the function compares with NULL, itself or through a callee. In order.
    pub null_tested: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Returns {
    /// A run that ends without error returns.
    Surely,
    Maybe,
    Never {
        in_error: bool,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Write {
    pub base: Base,
    /// Portable between units; without a type, any class.
    pub class: ClassData,
}

/// The contents of a place in memory. Each fact holds on its own, also if the places of several overlap.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ExitFact {
    /// An argument or a global; the class names the member.
    pub at: Write,
    /// From there, in bytes.
    pub offset: i64,
    pub ty: Type,
    pub contents: ExitContents,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ExitContents {
    Const(u128),
    /// The parameter's value at entry; for pointers, plus so many bytes.
    Param(u32, i64),
    NotNull,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Base {
    /// Inside the object that the argument points into.
    Param(u32),
    Global(GlobalName),
    /// `errno`, wherever it is (see `gc::Clobber::Errno`).
    Errno,
    Anywhere,
    /// Whatever code outside of the program may change (see `gc::CallBase::Outside`).
    Outside,
}

/// A global symbol of the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GlobalName {
    /// The linker's name. Compared first: units have long names that begin alike.
    pub name: String,
    /// The identity of the unit, for internal linkage only.
    pub unit: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ParamFacts {
    /// With NULL every run ends in error: none returns, exits or goes on for ever. Where a run may also exit,
    /// only `leaves_if` says so.
    pub nonnull: bool,
    /// This pointer is passed to `free`; aliases are not considered.
    pub may_be_freed: bool,
    /// The pointer may be retained after the return: stored, returned, or passed to an unknown function.
    pub may_escape: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ResultFacts {
    pub nonnull: bool,
    /// Signed reading of the result's bits, inclusive.
    pub range: Option<(i128, i128)>,
    /// The parameter's value at entry.
    pub equals: Option<u32>,
    /// If not NULL, a block that nothing else points to.
    pub fresh: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CanFail {
    pub param: u32,
    pub check: Check,
    /// At most three.
    pub when: Vec<Atom>,
    /// The function and the place in it.
    pub place: (String, Loc),
    /// The callees on the path there.
    pub through: Vec<String>,
}

impl ParamFacts {
    /// Of a parameter of which nothing is known.
    pub const UNKNOWN: ParamFacts = ParamFacts { nonnull: false, may_be_freed: true, may_escape: true };
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
            exit_state: Vec::new(),
            can_fail: Vec::new(),
            may_return_null: false,
            null_tested: Vec::new(),
        }
    }

    /// Of a function outside of the program, which can reach only what was passed to it.
    pub fn outside() -> Summary {
        let class = ClassData { ty: None, field: None };
        Summary { writes: Some(vec![Write { base: Base::Outside, class }]), ..Summary::top() }
    }

    /// What is known of an argument, also of one that the function has no parameter for.
    pub fn param(&self, index: usize) -> ParamFacts {
        self.params.get(index).copied().unwrap_or(ParamFacts::UNKNOWN)
    }

    /// What holds for a function that is one or the other.
    pub fn join(&self, other: &Summary) -> Summary {
        let writes = match (&self.writes, &other.writes) {
            (Some(a), Some(b)) => bounded(a.iter().chain(b).cloned().collect()),
            _ => None,
        };
        let params = (0..self.params.len().max(other.params.len())).map(|i| {
            let (a, b) = (self.param(i), other.param(i));
            ParamFacts {
                nonnull: a.nonnull && b.nonnull,
                may_be_freed: a.may_be_freed || b.may_be_freed,
                may_escape: a.may_escape || b.may_escape,
            }
        });
        // The caller may know which of them is called, so only what both do is a suggestion.
        let is_common = |one: &&CanFail| {
            other.can_fail.iter().any(|two| (two.param, two.check) == (one.param, one.check))
        };
        let can_fail = self.can_fail.iter().filter(is_common).cloned().collect();
        Summary {
            returns: self.returns.join(other.returns),
            writes,
            result: self.result.join(other.result),
            params: params.collect(),
            leaves_if: self.leaves_if.iter().filter(|c| other.leaves_if.contains(c)).cloned().collect(),
            can_fail,
            may_return_null: self.may_return_null || other.may_return_null,
            exit_state: self
                .exit_state
                .iter()
                .filter(|fact| other.exit_state.contains(fact))
                .cloned()
                .collect(),
            null_tested: self
                .null_tested
                .iter()
                .filter(|param| other.null_tested.contains(param))
                .copied()
                .collect(),
        }
    }
}

impl Returns {
    pub fn join(self, other: Returns) -> Returns {
        match (self, other) {
            (Returns::Never { in_error: a }, Returns::Never { in_error: b }) => {
                Returns::Never { in_error: a && b }
            }
            // No run of the one ends without error.
            (Returns::Surely | Returns::Never { in_error: true }, Returns::Surely)
            | (Returns::Surely, Returns::Never { in_error: true }) => Returns::Surely,
            _ => Returns::Maybe,
        }
    }
}

impl ResultFacts {
    pub fn join(self, other: ResultFacts) -> ResultFacts {
        let range = self.range.zip(other.range).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1)));
        ResultFacts {
            nonnull: self.nonnull && other.nonnull,
            range,
            equals: self.equals.filter(|_| self.equals == other.equals),
            fresh: self.fresh && other.fresh,
        }
    }
}

/// The writes in order, none covered by another. A long list is widened to types and then to objects; `None` if it is still
/// too long. [`Base::Anywhere`] does not cover other bases: it excludes objects that only an argument points to and globals
/// whose address is not taken.
pub fn bounded(writes: Vec<Write>) -> Option<Vec<Write>> {
    let without_field = |write: Write| match write.class {
        ClassData { ty: Some(ty), field: Some(_) } => Write { class: ClassData::of_type(ty), ..write },
        _ => write,
    };
    let without_type = |write: Write| Write { class: ClassData { ty: None, field: None }, ..write };
    let mut writes = uncovered(writes);
    if writes.len() > MAX_WRITES {
        writes = uncovered(writes.into_iter().map(without_field).collect());
    }
    if writes.len() > MAX_WRITES {
        writes = uncovered(writes.into_iter().map(without_type).collect());
    }
    (writes.len() <= MAX_WRITES).then_some(writes)
}

fn uncovered(mut writes: Vec<Write>) -> Vec<Write> {
    writes.sort();
    writes.dedup();
    let is_covered = |write: &Write| {
        let start = writes.partition_point(|other| other.base < write.base);
        let same_base = writes[start..].iter().take_while(|other| other.base == write.base);
        same_base.into_iter().any(|other| other != write && other.class.covers(&write.class))
    };
    writes.iter().filter(|write| !is_covered(write)).cloned().collect()
}
