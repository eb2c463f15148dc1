//! Edges that are on a run which goes round loops only a few times: nothing else need be asked about them.

use crate::reach::{self, scaled};
use crate::witness::Search;
use gainsay_ir::gc::{self, Block};
use gainsay_ir::passes::passify;
use gainsay_ir::passes::segments::Cut;
use gainsay_ir::passes::unroll::{Unrolled, unroll};
use gainsay_ir::passive;
use gainsay_solver::encode::{Options, encode};
use gainsay_solver::{Answer, Budget, Session, Term, Value};
use std::collections::{BTreeMap, BTreeSet};

/// What a question may cost.
const MOST_CONFLICTS: u64 = 1_500;

/// How hard runs are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// How often heads of loops are come to: first seldom, then, for what is left, as often as the size allows.
    times: [usize; 2],
    /// Copies of blocks altogether.
    blocks: usize,
    /// How often a copy of a block may be entered on average.
    entries: usize,
    /// Questions about one function.
    questions: usize,
}

impl Coverage {
    /// Without a solver.
    pub const QUICK: Coverage = Coverage { times: [2, 8], blocks: 300, entries: 8, questions: 0 };
    /// For what a solver of Horn clauses would be asked about next: many iterations cost less than one question.
    pub const LONG: Coverage = Coverage { times: [0, 40], blocks: 2_400, entries: 8, questions: 0 };
    pub const THOROUGH: Coverage = Coverage { times: [6, 24], blocks: 2_000, entries: 60, questions: 12 };
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
) -> BTreeSet<Block> {
    let budget = Budget { effort: budget.effort.min(MOST_CONFLICTS), ..budget };
    let most = coverage.blocks / f.blocks.len().max(1);
    let mut covered = BTreeSet::new();
    let mut before = 0;
    for times in coverage.times.map(|times| times.min(most)) {
        let left: Vec<Block> = edges.iter().copied().filter(|edge| !covered.contains(edge)).collect();
        if times > before && !left.is_empty() {
            covered.extend(covered_in(
                session,
                unit,
                &unroll(f, cuts, times as u32),
                &left,
                coverage,
                budget,
            ));
        }
        before = times;
    }
    covered
}

fn covered_in(
    session: &mut Session,
    unit: &gc::Unit,
    unrolled: &Unrolled,
    edges: &[Block],
    coverage: Coverage,
    budget: Budget,
) -> BTreeSet<Block> {
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
    search.cover_edges(coverage.entries);
    let open = search.open();
    let is_open = |edge: &&Block| copies(edge).iter().all(|copy| open.edges.contains(copy));
    let mut left: Vec<Block> = edges.iter().filter(is_open).copied().collect();
    let mut covered: BTreeSet<Block> = edges.iter().filter(|edge| !is_open(edge)).copied().collect();
    if left.is_empty() || coverage.questions == 0 {
        return covered;
    }
    let mut vc = encode(unit, &form);
    let budget = scaled(budget, &vc);
    reach::tell(session, &vc);
    for _ in 0..coverage.questions {
        let takes: Vec<Term> = left
            .iter()
            .map(|edge| {
                let taken: Vec<Term> = copies(edge).into_iter().map(|copy| reach::taken(&vc, copy)).collect();
                vc.pool.any(&taken)
            })
            .collect();
        let any = vc.pool.any(&takes);
        if vc.pool.as_bool(any) == Some(false) || session.check(&vc.pool, &[any], budget) != Answer::Sat {
            break;
        }
        let Ok(values) = session.values(&vc.pool, &takes) else { break };
        let mut values = values.into_iter();
        left.retain(|&edge| {
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
