//! Body facts: what callers need to know of a function's body, small enough that those of a whole program fit in memory.
//!
//! The control flow contains only what decides whether and with what the function returns: calls, and checks and conditions on
//! parameters and on returned values. Writes, frees and stored pointers are may-facts, listed without order.

mod build;
mod condense;
mod exit_state;
mod origins;
mod print;
mod slots;
mod sources;

use crate::summary::Atom;
use gainsay_ir::check::Check;
use gainsay_ir::gc::{ClassData, Function, Loc, Unit};
use gainsay_ir::types::Type;
use serde::{Deserialize, Serialize};

/// Symbols and classes are numbers of the unit's tables. In an [`Atom`] here, `param` is a slot: first the values of
/// the parameters at entry, then the variables whose value is returned.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BodyFacts {
    /// Name and type.
    pub params: Vec<(String, Type)>,
    pub result: Option<Type>,
    /// The types of the slots, those of the parameters first.
    pub slots: Vec<Type>,
    /// The first is the entry; all of them can be reached.
    pub parts: Vec<Part>,
    pub calls: Vec<CallSite>,
    pub effects: Effects,
    /// Parameters that the function compares with NULL, directly or after arithmetic. In order.
    pub null_tested: Vec<u32>,
    /// Places in memory whose contents are known at every return. In order.
    pub exit_state: Vec<ExitCandidate>,
}

/// What a place in memory may contain at return. It becomes a `summary::ExitFact` if none of `calls_since` changes it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ExitCandidate {
    /// A parameter or a symbol.
    pub source: PointerSource,
    /// In bytes.
    pub offset: i64,
    pub ty: Type,
    pub class: u32,
    /// The possible contents.
    pub values: Vec<ExitValue>,
    /// Calls after the store, which may change the place.
    pub calls_since: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ExitValue {
    Const(u128),
    /// The parameter's value at entry; for pointers, plus `offset` bytes.
    Param {
        param: u32,
        offset: i64,
        is_nonnull: bool,
    },
    /// The result of a call.
    Call(u32),
    /// A place in an object.
    Address,
    Unknown,
}

/// Effects anywhere in the function. All lists are in order and without duplicates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Effects {
    /// Into which objects is written, and with which class; `None` is any.
    pub writes: Vec<(PointerSource, Option<u32>)>,
    /// Writes beyond the declared size of a symbol that is not defined in the unit: if it is a symbol of the linker, that is
    /// any memory.
    pub writes_beyond: Vec<(u32, Option<u32>)>,
    /// Everything that escaped may be written.
    pub writes_anything: bool,
    pub writes_errno: bool,
    pub frees: Vec<PointerSource>,
    /// Pointers that are stored.
    pub stored: Vec<PointerSource>,
    /// Pointers that are returned.
    pub returned: Vec<PointerSource>,
    /// Which functions' addresses are put into objects by name.
    pub stored_functions: Vec<(Cell, FunctionOrigin)>,
    /// Addresses of functions that are no longer tracked.
    pub lost_functions: Vec<FunctionOrigin>,
    /// Addresses of functions that are returned.
    pub returned_functions: Vec<FunctionOrigin>,
}

/// Commands without a branch between them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Part {
    pub events: Vec<Event>,
    pub end: PartEnd,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Event {
    /// Only runs on which this holds go on.
    Assume(Atom),
    /// A run on which all of this holds ends in error; not exact: it may.
    Check {
        check: Check,
        fails: Vec<Atom>,
        exact: bool,
        loc: Loc,
    },
    Call(u32),
    /// The slot gets one of the values.
    Set(u32, Vec<AbstractValue>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PartEnd {
    Goto(Vec<u32>),
    Return(Vec<AbstractValue>),
    Raise,
    Error,
}

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum AbstractValue {
    Const(u128),
    Slot(u32),
    /// The result of a call.
    Call(u32),
    /// NULL or what an allocation gave.
    Fresh(u32),
    /// A place in an object.
    Address,
    /// Signed, inclusive.
    Range(i128, i128),
    Unknown,
}

/// Which object a pointer may point into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum PointerSource {
    /// That of the parameter's value at entry.
    Param(u32),
    Symbol(u32),
    /// A local of the function.
    Local,
    /// What an allocation gave.
    Fresh(u32),
    /// That of the result of a call.
    Call(u32),
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CallSite {
    pub callee: CallTarget,
    pub args: Vec<Arg>,
    pub result: Option<Type>,
    /// Known to return if it does not fail.
    pub returns: bool,
    /// All that it does is among the [`Effects`] of the function.
    pub is_listed: bool,
    pub loc: Loc,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CallTarget {
    Symbol(u32),
    /// Through a pointer that comes from there.
    Pointer(Vec<FunctionOrigin>),
}

/// Where the address of a function may come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FunctionOrigin {
    Function(u32),
    /// The parameter's value at entry.
    Param(u32),
    /// The result of a call.
    Call(u32),
    Cell(Cell),
    Anything,
}

/// A place in an object that has a name; without an offset, somewhere in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cell {
    pub object: u32,
    pub offset: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Arg {
    pub ty: Type,
    /// `Const` or `Slot`; else `Unknown`, or `Address`.
    pub value: AbstractValue,
    pub sources: Vec<PointerSource>,
    pub origins: Vec<FunctionOrigin>,
}

/// May an access of this class, by a pointer from elsewhere, be one to `errno` (see `gc::Clobber::Errno`)?
pub fn may_be_errno(class: &ClassData, ty: Type) -> bool {
    match class.ty {
        Some(Type::Int(16 | 32)) => class.field.is_none(),
        Some(_) => false,
        None => ty != Type::Ptr,
    }
}

/// For a function whose models are applied.
pub fn body_facts(unit: &Unit, f: &Function) -> BodyFacts {
    condense::condense(build::build(unit, f))
}

impl BodyFacts {
    /// The text form.
    pub fn describe(&self, unit: &Unit) -> String {
        print::describe(self, unit)
    }
}
