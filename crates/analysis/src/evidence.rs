//! Evidence-based analysis: an error is reported if the tests in the code themselves show that it occurs for
//! legal inputs.
//!
//! A path to a failing check is reported if and only if its predicates are satisfiable together
//! (evidence-based-analysis, section 3, condition 2) and the admissible ones imply the asserted ones
//! (condition 3). Models of the whole function propose paths. Each path is then encoded on its own, because
//! condition 3 ranges over all inputs, including those that take another path. Loops are unrolled a few times
//! and nothing on a reported path is approximate, so it is a path of the function. A path may continue into a
//! callee, to a check whose failure the callee leaves to its callers (section 5):
//! `gainsay_program::preconditions` finds those.

mod correlated;
mod judge_path;
mod kinds;
mod path;
mod places;
mod predicates;
mod prefilter;
mod report;
mod search;
mod settings;
mod suspects;

pub use settings::{Evidence, EvidenceSettings};

use crate::context::{Cx, Stage};
use crate::judge::Judge;
use crate::limits::{EVIDENCE_BLOCKS, EVIDENCE_ITERATIONS};
use gainsay_ir::gc;
use gainsay_ir::passes::passify;
use gainsay_ir::passes::segments::heads;
use gainsay_ir::passes::unroll::unroll;
use gainsay_program::instrument_calls;
use gainsay_program::link::CalleePreconditions;
use gainsay_report::finding::Finding;
use std::collections::BTreeMap;

/// What the analysis needs in addition to the function.
#[derive(Clone, Copy)]
pub struct EvidenceInputs<'a> {
    pub settings: &'a EvidenceSettings,
    /// The identity of the unit.
    pub unit: &'a str,
    /// Inferred preconditions of the functions that the unit calls.
    pub expected: &'a CalleePreconditions,
}

/// The findings. A failure that another analysis also found becomes one finding with both analyses.
pub(crate) fn find(cx: &mut Cx) -> Vec<Finding> {
    let Some(EvidenceInputs { settings, unit, expected }) = cx.tools.evidence else { return Vec::new() };
    cx.begin(Stage::Evidence);
    let (f, judge) = (cx.f, cx.judge);
    if f.blocks.len() > EVIDENCE_BLOCKS {
        cx.tally.is_too_large = true;
        return Vec::new();
    }
    let times = (heads(f).len() + EVIDENCE_ITERATIONS).min(EVIDENCE_BLOCKS / f.blocks.len().max(1));
    let of_callee = |symbol: gc::Symbol| expected.get(&symbol.as_u32()).map_or(&[][..], Vec::as_slice);
    let splits = settings.callee == Evidence::Admissible;
    let quiet = without_volatile(f);
    let instrumented = instrument_calls(unit, judge.unit, &quiet, &of_callee, splits);
    let f = &instrumented.f;
    let cuts = heads(f);
    let unrolled = unroll(f, &cuts, times as u32);
    let function = passify(judge.unit, &unrolled.f);
    let mut originals: BTreeMap<gc::Block, gc::Block> = BTreeMap::new();
    for (&original, copies) in &unrolled.copies {
        originals.extend(copies.iter().map(|&copy| (copy, original)));
    }
    let graph = path::EvidenceGraph {
        kinds: kinds::kinds(judge.unit, f, &cuts, judge.source),
        cuts: &cuts,
        original: function.blocks.values().map(|data| originals.get(&data.source).copied()).collect(),
        settings,
        sites: &instrumented.callee_checks,
    };
    let judge = Judge::new(judge.unit, &function, judge.source);
    let found = search::search(cx.tools.first, judge.unit, &function, &graph);
    report::report(&judge, &graph, found, &mut cx.findings)
}

/// The function with all volatile accesses made ordinary. A path on which a variable is read twice with
/// different values and no write in between convinces no reader, even though a signal handler or another
/// thread may have written it.
fn without_volatile(f: &gc::Function) -> gc::Function {
    let mut f = f.clone();
    for cmd in f.blocks.values_mut().flat_map(|data| &mut data.cmds) {
        if let gc::CmdKind::Load { access, .. } = &mut cmd.kind {
            access.volatile = false;
        }
    }
    f
}
