//! Edges that are on a run which goes round loops only a few times: nothing else need be asked about them.

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

/// What a question may cost.
const MOST_CONFLICTS: u64 = 1_500;

/// How hard runs are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// How often heads of loops are come to: first seldom, then, for what is left, as often as the size allows.
    times: [usize; 2],
    /// Copies of blocks altogether, where they are as large as most are.
    blocks: usize,
    /// How often a copy of a block may be entered on average.
    entries: usize,
    /// Questions about one function.
    questions: usize,
    /// Any copy of an edge will do.
    is_long: bool,
}

impl Coverage {
    /// Without a solver.
    pub const QUICK: Coverage =
        Coverage { times: [2, 8], blocks: 300, entries: 8, questions: 0, is_long: false };
    /// For what is left then: a run of many iterations costs less than a proof that comes to nothing.
    pub const LONG: Coverage =
        Coverage { times: [0, 70], blocks: 1_500, entries: 3, questions: 0, is_long: true };
    pub const THOROUGH: Coverage =
        Coverage { times: [6, 24], blocks: 2_000, entries: 60, questions: 12, is_long: false };
}

/// What was found out, and at what cost.
#[derive(Default)]
pub struct Covered {
    pub edges: BTreeSet<Block>,
    /// In blocks and commands that were copied or walked through.
    pub cost: u64,
}

/// Which of the edges are on such a run, as far as is found out.
pub fn covered(
    session: &mut Session,
    unit: &gc::Unit,
    f: &gc::Function,
    cuts: &[Cut],
    edges: &[Block],
    coverage: Coverage,
    budget: Budget,
) -> Covered {
    let budget = Budget { effort: budget.effort.min(MOST_CONFLICTS), ..budget };
    let most = coverage.blocks / size(f);
    let mut covered = Covered::default();
    let mut before = 0;
    for times in coverage.times.map(|times| times.min(most)) {
        let left: Vec<Block> = edges.iter().copied().filter(|edge| !covered.edges.contains(edge)).collect();
        if times > before && !left.is_empty() {
            let unrolled = unroll(f, cuts, times as u32);
            covered.add_found_in(session, unit, &unrolled, &left, coverage, budget);
        }
        before = times;
    }
    covered
}

/// How many blocks of usual size the function is.
pub fn size(f: &gc::Function) -> usize {
    const USUAL: usize = 5;
    let commands: usize = f.blocks.values().map(|data| data.cmds.len()).sum();
    f.blocks.len().max(commands / USUAL).max(1)
}

impl Covered {
    fn add_found_in(
        &mut self,
        session: &mut Session,
        unit: &gc::Unit,
        unrolled: &Unrolled,
        edges: &[Block],
        coverage: Coverage,
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
        let left: Vec<Block> = edges.iter().copied().filter(|edge| !self.edges.contains(edge)).collect();
        if !left.is_empty() && coverage.questions > 0 {
            let left = left.iter().map(|edge| (*edge, copies(edge))).collect();
            self.edges.extend(asked_for(session, unit, &form, left, coverage.questions, budget));
        }
    }
}

/// Asks for runs through any of the edges' copies.
fn asked_for(
    session: &mut Session,
    unit: &gc::Unit,
    form: &passive::Function,
    mut left: Vec<(Block, Vec<passive::Block>)>,
    questions: usize,
    budget: Budget,
) -> BTreeSet<Block> {
    let mut covered = BTreeSet::new();
    let mut vc = encode(unit, form);
    let budget = scaled(budget, &vc);
    reach::assert_run(session, &vc);
    for _ in 0..questions {
        let takes: Vec<Term> = left
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
        left.retain(|&(edge, _)| {
            let is_taken = values.next() == Some(Value::Bool(true));
            if is_taken {
                covered.insert(edge);
            }
            !is_taken
        });
        if left.is_empty() {
            break;
        }
    }
    covered
}
