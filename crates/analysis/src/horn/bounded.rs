//! Finds edges on runs with few loop iterations; these need no Horn query.

use crate::limits::{COVERAGE_CONFLICTS, USUAL_BLOCK};
use crate::reach::{self, scaled};
use crate::witness::Search;
use gainsay_ir::gc::{self, Block};
use gainsay_ir::passes::passify;
use gainsay_ir::passes::segments::Cut;
use gainsay_ir::passes::unroll::{Unrolled, unroll};
use gainsay_ir::passive;
use gainsay_solver::{Answer, Budget, Session};
use gainsay_term::{Term, Value};
use gainsay_vc::{Options, encode};
use std::collections::{BTreeMap, BTreeSet};

/// How hard to search for runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CoverageEffort {
    /// How often loop heads may be reached: first few times, then, for edges that are still open, as often as
    /// the size allows.
    pub(crate) times: [usize; 2],
    /// Total number of block copies, in blocks of usual size.
    pub(crate) blocks: usize,
    /// How often a copy of a block may be entered, on average.
    pub(crate) entries: usize,
    /// Solver queries for one function.
    pub(crate) questions: usize,
    /// Search for a run through any copy of an edge, one edge at a time.
    pub(crate) is_long: bool,
}

/// The covered edges, and what the search cost.
#[derive(Default)]
pub(crate) struct Covered {
    pub(crate) edges: BTreeSet<Block>,
    /// In blocks and commands that were copied or visited.
    pub(crate) cost: u64,
}

/// The edges that a run was found for.
pub(crate) fn covered(
    session: &mut Session,
    unit: &gc::Unit,
    f: &gc::Function,
    cuts: &[Cut],
    edges: &[Block],
    coverage: CoverageEffort,
    budget: Budget,
) -> Covered {
    let budget = Budget { effort: budget.effort.min(COVERAGE_CONFLICTS), ..budget };
    let most = coverage.blocks / size(f);
    let mut covered = Covered::default();
    let mut before = 0;
    for times in coverage.times.map(|times| times.min(most)) {
        let remaining: Vec<Block> =
            edges.iter().copied().filter(|edge| !covered.edges.contains(edge)).collect();
        if times > before && !remaining.is_empty() {
            let unrolled = unroll(f, cuts, times as u32);
            covered.add_found_in(session, unit, &unrolled, &remaining, coverage, budget);
        }
        before = times;
    }
    covered
}

/// The size of the function in blocks of usual size.
pub(crate) fn size(f: &gc::Function) -> usize {
    let commands: usize = f.blocks.values().map(|data| data.cmds.len()).sum();
    f.blocks.len().max(commands / USUAL_BLOCK).max(1)
}

impl Covered {
    fn add_found_in(
        &mut self,
        session: &mut Session,
        unit: &gc::Unit,
        unrolled: &Unrolled,
        edges: &[Block],
        coverage: CoverageEffort,
        budget: Budget,
    ) {
        let form = passify(unit, &unrolled.f);
        let mut blocks: BTreeMap<Block, passive::Block> = BTreeMap::new();
        for (block, data) in &form.blocks {
            blocks.insert(data.source, block);
        }
        let copies = |edge: &Block| -> Vec<passive::Block> {
            let copies = unrolled.copies.get(edge).into_iter().flatten();
            copies.filter_map(|copy| blocks.get(copy).copied()).collect()
        };
        let options = Options::default();
        let mut search = Search::new(unit, &form, &options);
        if coverage.is_long {
            let entries = coverage.entries * form.blocks.len() / edges.len();
            let is_passed = |edge: &Block| search.passes_one(&copies(edge), entries);
            self.edges.extend(edges.iter().copied().filter(is_passed));
        } else {
            search.cover_edges(coverage.entries);
            let open = search.open();
            let is_passed = |edge: &Block| copies(edge).iter().any(|copy| !open.edges.contains(copy));
            self.edges.extend(edges.iter().copied().filter(is_passed));
        }
        let copied: usize = form.blocks.values().map(|data| 1 + data.cmds.len()).sum();
        self.cost += copied as u64 + search.walked;
        let remaining: Vec<Block> = edges.iter().copied().filter(|edge| !self.edges.contains(edge)).collect();
        if !remaining.is_empty() && coverage.questions > 0 {
            let remaining = remaining.iter().map(|edge| (*edge, copies(edge))).collect();
            self.edges.extend(asked_for(session, unit, &form, remaining, coverage.questions, budget));
        }
    }
}

/// Queries the solver for runs through any copy of the edges.
fn asked_for(
    session: &mut Session,
    unit: &gc::Unit,
    form: &passive::Function,
    mut remaining: Vec<(Block, Vec<passive::Block>)>,
    questions: usize,
    budget: Budget,
) -> BTreeSet<Block> {
    let mut covered = BTreeSet::new();
    let mut vc = encode(unit, form);
    let budget = scaled(budget, &vc);
    reach::assert_run(session, &vc);
    for _ in 0..questions {
        let takes: Vec<Term> = remaining
            .iter()
            .map(|(_, copies)| {
                let taken: Vec<Term> = copies.iter().map(|&copy| reach::taken(&vc, copy)).collect();
                vc.pool.any(&taken)
            })
            .collect();
        let any = vc.pool.any(&takes);
        if vc.pool.as_bool(any) == Some(false) || session.check(&vc.pool, &[any], budget) != Answer::Sat {
            break;
        }
        let Ok(values) = session.values(&vc.pool, &takes) else { break };
        let mut values = values.into_iter();
        remaining.retain(|&(edge, _)| {
            let is_taken = values.next() == Some(Value::Bool(true));
            if is_taken {
                covered.insert(edge);
            }
            !is_taken
        });
        if remaining.is_empty() {
            break;
        }
    }
    covered
}
