//! Lowers `ast::Unit` to `gc::Unit`. Constructs that are not modelled become `havoc` and a counted gap, never a guess.
//!
//! The order of evaluation is clang's: left to right, and the right side of an assignment first. Every condition of the
//! source stays a branch, constant ones too; `analysis::noise` decides which are worth a report.
//!
//! Read first: `function` (state and setup of one function), `stmt`, `expr` and `condition` (control flow and values),
//! `place` (lvalues and memory), `checks` (undefined behaviour). `build` creates the commands. The other modules each
//! lower one construct.

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

/// Options of the caller.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Assert that signed arithmetic does not overflow. Off by default: many programs rely on wrapping.
    pub signed_overflow: bool,
    pub purpose: Purpose,
}

/// The purpose that annotations are lowered for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// Find contradictions. What an annotation does not determine exactly allows more runs.
    #[default]
    Check,
    /// Prove. Loops are prepared for being cut at their invariants, and calls mean what the callee's contract states.
    Prove,
    /// Find counterexamples. Everything is exact, but only for small ranges.
    Refute,
}

/// A unit in guarded commands, with the metadata of its functions.
#[derive(Clone)]
pub struct Lowered {
    pub unit: gc::Unit,
    /// Parallel to `unit.functions`.
    pub functions: Vec<FunctionMetadata>,
    pub gave_up: Vec<GaveUp>,
    /// Gaps outside functions, in initialisers of globals.
    pub gaps: Vec<(Gap, Span)>,
    /// Unsupported annotations of functions that are only declared.
    pub problems: Vec<(Raw, String)>,
    /// Errors outside functions may have hidden definitions that clang does not report.
    pub is_partial: bool,
}

impl Lowered {
    /// Names of the functions that were not lowered; an empty name stands for hidden ones. Their effect on the unit's
    /// objects is unknown.
    pub fn unread(&self) -> Vec<String> {
        let hidden = self.is_partial.then(String::new);
        self.gave_up.iter().map(|gone| gone.name.clone()).chain(hidden).collect()
    }
}

/// Properties of a function that are not part of its semantics.
#[derive(Clone, Serialize, Deserialize)]
pub struct FunctionMetadata {
    /// The function's name in its definition.
    pub span: Span,
    pub spans: Spans,
    pub gaps: Vec<(Gap, Loc)>,
    pub annotations: Annotations,
}

/// Results of lowering the annotations of a function.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Annotations {
    pub has_contract: bool,
    /// Annotations that are not supported, with the reason.
    pub problems: Vec<(Raw, String)>,
    /// Unsupported clauses that were to be proved.
    pub unproved: Vec<(Check, Loc)>,
    /// Conditions that are assumed without proof.
    pub admitted: Vec<Loc>,
    /// Functions whose contracts were used at calls.
    pub relies_on: Vec<String>,
    pub loops_without_variant: u32,
    /// The loops that can be annotated, inner ones before outer ones.
    pub loops: Vec<LoopPlace>,
    /// Where invariants of [`Help`] are asserted: the loop's position, and the index of the invariant.
    pub found: Vec<(Loc, Raw, usize)>,
}

/// A loop of the source.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LoopPlace {
    /// Start of the loop, before which its annotations end.
    pub at: Raw,
    /// The locations in it.
    pub locs: Range<u32>,
}

/// Facts from earlier runs that a proof or a search for counterexamples may use in addition to the annotations.
#[derive(Clone, Debug, Default)]
pub struct Help {
    /// Conditions in ACSL by the position of the loop. They are asserted like written invariants.
    pub invariants: BTreeMap<Raw, Vec<String>>,
    /// Functions that were proved to satisfy their contract and to return; counterexamples may rely on them.
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
