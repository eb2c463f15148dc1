//! Evidence (papers/evidence-based-analysis): an error is reported where the text of the program itself testifies that it
//! happens for legal inputs.
//!
//! A path to a failing check is reported iff its predicates can hold together (the paper's condition 2), and those that
//! are admissible imply those that are asserted (condition 3). Models of the whole function propose paths; each is then
//! walked on its own, because condition 3 ranges over all inputs, also those that take another path. Loops are unrolled a
//! few times and nothing on a reported path is forgotten, so it is a path of the function.

mod kinds;
mod path;
mod report;
mod search;
mod settings;

pub use settings::{Evidence, PRESETS, Settings};

use crate::judge::Judge;
use crate::pipeline::{Outcome, Stage, Tools};
use gainsay_ir::gc;
use gainsay_ir::passes::passify;
use gainsay_ir::passes::segments::heads;
use gainsay_ir::passes::unroll::unroll;
use std::collections::BTreeMap;

/// Copies of blocks altogether.
const MOST_BLOCKS: usize = 300;

/// Iterations beyond the first evaluation of each loop's condition.
const ITERATIONS: usize = 2;

/// `f` is pruned. What `reach` found as well becomes one finding with both names.
pub(crate) fn find(tools: &mut Tools, f: &gc::Function, judge: &Judge, outcome: &mut Outcome) {
    let Some(settings) = tools.evidence else { return };
    (tools.begin)(Stage::Evidence);
    let cuts = heads(f);
    let times = (cuts.len() + ITERATIONS).min(MOST_BLOCKS / f.blocks.len().max(1));
    if f.blocks.len() > MOST_BLOCKS {
        return;
    }
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
    };
    let judge = Judge { unit: judge.unit, function: &function, source: judge.source };
    let found = search::search(tools.first, judge.unit, &function, &graph);
    report::report(&judge, &graph, found, &mut outcome.findings);
}
