//! ast::Unit -> gc::Unit. What is not modelled becomes havoc and a counted gap, never a guess.
//!
//! Order of evaluation is clang's (left to right, right side of an assignment first). Every condition of the
//! source stays a branch, constant ones too: what is noise is decided by those who report.

mod aggregate;
mod arith;
mod assign;
mod atomic;
mod bits;
mod build;
mod builtin;
mod call;
mod checks;
mod condition;
mod constant;
mod contract;
mod doubt;
mod expr;
mod fold;
mod function;
mod initialised;
mod place;
mod stmt;
mod switch;
mod symbols;
mod types;
mod vector;
mod vla;

use crate::clang::ast;
use gainsay_ir::check::Check;
use gainsay_ir::gap::Gap;
use gainsay_ir::gc::{self, Loc};
use gainsay_ir::source_map::{Raw, Span, Spans};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use symbols::Symbols;

/// What the caller may choose.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Assert that signed arithmetic does not overflow. Off by default: many programs rely on wrapping.
    pub signed_overflow: bool,
    pub purpose: Purpose,
}

/// What annotations are lowered for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// To find contradictions: what is not said exactly allows more runs.
    #[default]
    Check,
    /// To prove: loops are prepared for being cut at their invariants, calls mean what the callee's contract says.
    Prove,
    /// To find counterexamples: everything exact, but only small ranges.
    Refute,
}

/// A unit in guarded commands, with what stands beside it.
#[derive(Clone)]
pub struct Lowered {
    pub unit: gc::Unit,
    /// Parallel to `unit.functions`.
    pub functions: Vec<FunctionMetadata>,
    pub gave_up: Vec<GaveUp>,
    /// Gaps outside functions: initialisers of globals.
    pub gaps: Vec<(Gap, Span)>,
    /// Annotations that have no meaning here, of functions that are only declared.
    pub problems: Vec<(Raw, String)>,
    /// An error outside functions may have cost definitions of which clang says nothing.
    pub is_partial: bool,
}

impl Lowered {
    /// Names of the functions that were not read, with an empty one for those of which nothing is known: what they do to
    /// the unit's objects is not known either.
    pub fn unread(&self) -> Vec<String> {
        let hidden = self.is_partial.then(String::new);
        self.gave_up.iter().map(|gone| gone.name.clone()).chain(hidden).collect()
    }
}

/// What belongs to a function but is not part of its meaning.
#[derive(Clone, Serialize, Deserialize)]
pub struct FunctionMetadata {
    /// The function's name in its definition.
    pub span: Span,
    pub spans: Spans,
    pub gaps: Vec<(Gap, Loc)>,
    pub annotations: Annotations,
}

/// What the annotations of a function leave to be said.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Annotations {
    pub has_contract: bool,
    /// Annotations that have no meaning here, with the reason.
    pub problems: Vec<(Raw, String)>,
    /// Clauses among them that were to be shown.
    pub unproved: Vec<(Check, Loc)>,
    /// Where something is assumed without proof.
    pub admitted: Vec<Loc>,
    /// Functions whose contracts were used at calls.
    pub relies_on: Vec<String>,
    pub loops_without_variant: u32,
    /// The loops that can be annotated, inner ones before outer ones.
    pub loops: Vec<LoopPlace>,
    /// Where invariants of [`Help`] are asserted: of the loop that begins there, the one of this number.
    pub found: Vec<(Loc, Raw, usize)>,
}

/// A loop of the source.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LoopPlace {
    /// Where it begins, and where annotations of it end.
    pub at: Raw,
    /// The numbers of the places in it.
    pub locs: Range<u32>,
}

/// What a proof, or a search for counterexamples, may use besides what is written.
#[derive(Clone, Debug, Default)]
pub struct Help {
    /// For loops, by where they begin: conditions in ACSL. They are asserted like invariants that are written.
    pub invariants: BTreeMap<Raw, Vec<String>>,
    /// Functions that keep their contract, and return: a counterexample may rely on it.
    pub proved: BTreeSet<String>,
}

/// A function that was not lowered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GaveUp {
    pub name: String,
    pub span: Span,
    pub reason: String,
}

pub fn lower(unit: &ast::Unit, options: &Options) -> Lowered {
    lower_with(unit, options, &Help::default())
}

pub fn lower_with(unit: &ast::Unit, options: &Options, help: &Help) -> Lowered {
    let mut symbols = Symbols::new(unit);
    let address_taken = unit.address_taken();
    let contracts = contract::Contracts::of_unit(unit).with_help(help);
    let mut lowered = Lowered {
        unit: gc::Unit {
            target: unit.target,
            symbols: Default::default(),
            classes: Default::default(),
            assembly: Default::default(),
            functions: Vec::new(),
        },
        functions: Vec::new(),
        gave_up: Vec::new(),
        gaps: Vec::new(),
        problems: Vec::new(),
        is_partial: unit.degraded,
    };
    let mut locals = function::Locals::new(unit);
    for decl in unit.functions() {
        match function::lower(unit, options, &mut symbols, &address_taken, &contracts, &mut locals, decl) {
            Ok((function, beside)) => {
                lowered.unit.functions.push(function);
                lowered.functions.push(beside);
            }
            Err(reason) => {
                let name = unit.name(decl).to_owned();
                lowered.gave_up.push(GaveUp { name, span: unit.decl_span(decl), reason });
            }
        }
    }
    for decl in unit.globals() {
        symbols.symbol(unit, decl);
    }
    symbols.finish(unit, &mut lowered);
    lowered.problems = contracts.problems_of_declarations(unit);
    let point = |at: Raw| Span { at, begin: at, end: at };
    lowered.gaps.extend(lowered.problems.iter().map(|&(at, _)| (Gap::Contract, point(at))));
    lowered
}
