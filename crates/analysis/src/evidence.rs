//! Evidence (papers/evidence-based-analysis): an error is reported where the text of the program itself testifies that it
//! happens for legal inputs.
//!
//! A path to a failing check is reported iff its predicates can hold together (the paper's condition 2), and those that
//! are admissible imply those that are asserted (condition 3). Models of the whole function propose paths; each is then
//! walked on its own, because condition 3 ranges over all inputs, also those that take another path. Loops are unrolled a
//! few times and nothing on a reported path is forgotten, so it is a path of the function. A path may go on into a callee,
//! to a check whose failure the callee leaves to its callers (section 5): `gainsay_program::preconditions` finds those.

mod correlated;
mod judge_path;
mod kinds;
mod path;
mod places;
mod prefilter;
mod report;
mod search;
mod settings;
mod suspects;

pub use settings::{Evidence, PRESETS, Settings};

use crate::judge::Judge;
use crate::pipeline::{Outcome, Stage, Tools};
use gainsay_ir::gc;
use gainsay_ir::passes::passify;
use gainsay_ir::passes::segments::heads;
use gainsay_ir::passes::unroll::unroll;
use gainsay_program::instrument_calls;
use gainsay_program::link::CalleePreconditions;
use std::collections::BTreeMap;

/// Copies of blocks altogether.
const MOST_BLOCKS: usize = 300;

/// Iterations beyond the first evaluation of each loop's condition.
const ITERATIONS: usize = 2;

/// What there is to judge by.
#[derive(Clone, Copy)]
pub struct Inquiry<'a> {
    pub settings: &'a Settings,
    /// The identity of the unit.
    pub unit: &'a str,
    /// By the functions that the unit calls.
    pub expected: &'a CalleePreconditions,
}

/// `f` is pruned. What `reach` found as well becomes one finding with both names.
pub(crate) fn find(tools: &mut Tools, f: &gc::Function, judge: &Judge, outcome: &mut Outcome) {
    let Some(Inquiry { settings, unit, expected }) = tools.evidence else { return };
    (tools.begin)(Stage::Evidence);
    if f.blocks.len() > MOST_BLOCKS {
        outcome.is_too_large = true;
        return;
    }
    let times = (heads(f).len() + ITERATIONS).min(MOST_BLOCKS / f.blocks.len().max(1));
    let of_callee = |symbol: gc::Symbol| expected.get(&symbol.as_u32()).map_or(&[][..], Vec::as_slice);
    let splits = settings.callee == Evidence::Admissible;
    let quiet = undisturbed(f);
    let held = instrument_calls(unit, judge.unit, &quiet, &of_callee, splits);
    let f = &held.f;
    let cuts = heads(f);
    let unrolled = unroll(f, &cuts, times as u32);
    let function = passify(judge.unit, &unrolled.f);
    let mut originals: BTreeMap<gc::Block, gc::Block> = BTreeMap::new();
    for (&original, copies) in &unrolled.copies {
        originals.extend(copies.iter().map(|&copy| (copy, original)));
    }
    let graph = path::Graph {
        kinds: kinds::kinds(judge.unit, f, &cuts, judge.source),
        cuts: &cuts,
        original: function.blocks.values().map(|data| originals.get(&data.source).copied()).collect(),
        settings,
        sites: &held.callee_checks,
    };
    let judge = Judge { unit: judge.unit, function: &function, source: judge.source };
    let found = search::search(tools.first, judge.unit, &function, &graph);
    report::report(&judge, &graph, found, &mut outcome.findings);
}

/// Nothing changes by itself: a path on which a variable is read twice and differs, though nobody wrote it, persuades
/// nobody, even if a signal handler or another thread might have.
fn undisturbed(f: &gc::Function) -> gc::Function {
    let mut f = f.clone();
    for cmd in f.blocks.values_mut().flat_map(|data| &mut data.cmds) {
        if let gc::CmdKind::Load { access, .. } = &mut cmd.kind {
            access.volatile = false;
        }
    }
    f
}
