//! Edges that are impossible because of loops (horn-clauses-with-loops). `reach` havocs what loops write, so
//! an edge that it finds possible may not be. Edges that no run with few iterations takes are decided by Horn
//! clauses, within a budget (docs/decisions/014-loop-budget.md).

mod ask;
mod edges;
mod loop_budget;
mod report;

pub use loop_budget::{LoopBudget, LoopBudgetUse};

use crate::horn::{self, CoverageEffort, EdgeAnswer, HornProblem};
use crate::judge::Judge;
use crate::limits::{
    EASY_ROUND, PATIENT_ROUND, RUN_LOOP_BUDGET, RUN_LOOP_BUDGET_PER_BLOCK, SIMPLE_INVARIANTS_COST,
    UNIT_LOOP_BUDGET,
};
use crate::pipeline::{Outcome, Stage, Tools};
use crate::reach;
use ask::{FunctionForms, ask};
use edges::{open_edges, uncovered_edges};
use gainsay_ir::gc;
use gainsay_ir::passes::segments::{Cut, heads};
use gainsay_ir::passes::{cut_loops, passify, prune};
use gainsay_ir::passive::Function;
use gainsay_report::loops::Asked;
use gainsay_solver::{Budget, Program, Session};

/// How much effort loops get.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Loops {
    /// Loops are havocked and no Horn query is made.
    Off,
    /// Small functions and a few easy queries.
    #[default]
    Auto,
    /// Every edge that could matter, with a large budget.
    All,
}

/// The budget for the easy queries about the loops of a unit: a fixed amount per unit and its share of the
/// initial amount for the whole run.
pub fn loop_budget(functions: &[gc::Function], n_units: u32) -> LoopBudget {
    let blocks: u64 = functions.iter().map(|f| f.blocks.len() as u64).sum();
    let shared = RUN_LOOP_BUDGET.saturating_sub(RUN_LOOP_BUDGET_PER_BLOCK * blocks);
    LoopBudget::new(UNIT_LOOP_BUDGET + shared / u64::from(n_units.max(1)))
}

/// Limits of one round of queries about a function.
pub(crate) struct RoundLimits {
    /// Largest function, in blocks of usual size.
    pub(crate) blocks: usize,
    /// Most loop heads of a function.
    pub(crate) heads: usize,
    /// Most live variables at a loop head.
    pub(crate) state: usize,
    /// Queries about a function.
    pub(crate) questions: usize,
    /// Queries that may fail before the first proof; then the others are skipped.
    pub(crate) failures: usize,
    /// Strategies tried for each query.
    pub(crate) strategies: usize,
    /// Budget of one query.
    pub(crate) budget: Budget,
    /// Budget of one query that simple invariants may answer.
    pub(crate) first_budget: Budget,
    /// The search that precedes queries.
    pub(crate) coverage: CoverageEffort,
}

impl RoundLimits {
    /// Whether the function is too large for the round.
    fn exclude(&self, f: &gc::Function, cuts: &[Cut]) -> bool {
        horn::size(f) > self.blocks || cuts.len() > self.heads || horn::is_too_large(f)
    }
}

impl Loops {
    /// The rounds of queries in order. A stronger setting begins with the queries of the weaker one, so that
    /// it proves at least as much.
    fn rounds(self) -> &'static [RoundLimits] {
        match self {
            Loops::Off => &[],
            Loops::Auto => &[EASY_ROUND],
            Loops::All => &[EASY_ROUND, PATIENT_ROUND],
        }
    }
}

/// Adds edges that are impossible because of loops to the answers of `reach`, without explanations; for
/// oracles. `f` is prepared, `function` its passive form.
pub fn add_impossible(
    loops: Loops,
    (session, spacer): (&mut Session, &Program),
    unit: &gc::Unit,
    f: &gc::Function,
    function: &Function,
    decided: &mut reach::Edges,
) {
    let f = prune(f.clone());
    let f = horn::with_checks(unit, &f).unwrap_or(f);
    let cuts = heads(&f);
    if cuts.is_empty() || decided.never_ends {
        return;
    }
    for limits in loops.rounds().iter().filter(|limits| !limits.exclude(&f, &cuts)) {
        let edges = open_edges(&f, function, decided);
        let (edges, _) = uncovered_edges(session, unit, &f, function, edges, &cuts, limits);
        let blocks: Vec<gc::Block> = edges.iter().map(|edge| edge.gc).collect();
        if edges.is_empty() {
            continue;
        }
        let mut problem = HornProblem::new(unit, &f, &blocks);
        problem.limit_strategies(limits.strategies);
        for (number, edge) in edges.iter().enumerate().take(limits.questions) {
            if let EdgeAnswer::Impossible(_) = problem.ask(session, spacer, number, limits.budget) {
                decided.impossible.push(edge.passive);
            }
        }
        decided.impossible.sort();
    }
}

/// `f` is pruned, `judge.function` its passive form.
pub(crate) fn find(
    tools: &mut Tools,
    f: &gc::Function,
    judge: &Judge,
    decided: &reach::Edges,
    outcome: &mut Outcome,
) {
    let cuts = heads(f);
    if cuts.is_empty() || tools.loops == Loops::Off {
        return;
    }
    outcome.loops.functions = 1;
    if decided.never_ends {
        return;
    }
    let mut known = ProvedBefore::default();
    for (round, limits) in tools.loops.rounds().iter().enumerate() {
        // Only the first round is rationed.
        let rationed = tools.loop_budget.clone();
        if round > 0 {
            *tools.loop_budget = LoopBudget::new(u64::MAX);
        }
        if !limits.exclude(f, &cuts) && tools.loop_budget.affords(SIMPLE_INVARIANTS_COST) {
            (tools.begin)(Stage::Horn);
            ask_round(tools, f, judge, decided, &cuts, limits, &mut known, outcome);
        }
        if round > 0 {
            *tools.loop_budget = rationed;
        }
    }
}

/// Results of earlier rounds.
#[derive(Default)]
struct ProvedBefore {
    edges: Vec<gc::Block>,
    /// Causes of findings that are not noise.
    causes: Vec<gc::Loc>,
}

#[expect(clippy::too_many_arguments, reason = "one caller")]
fn ask_round(
    tools: &mut Tools,
    f: &gc::Function,
    judge: &Judge,
    decided: &reach::Edges,
    cuts: &[Cut],
    limits: &RoundLimits,
    known: &mut ProvedBefore,
    outcome: &mut Outcome,
) {
    // Edges that the previous round left open are queried again.
    outcome.loops = Asked { left_out: 0, unanswered: 0, asked: known.edges.len() as u64, ..outcome.loops };
    let mut edges = open_edges(f, judge.function, decided);
    edges.retain(|edge| !known.edges.contains(&edge.gc));
    let plain = FunctionForms { f, judge };
    let Some(with_checks) = horn::with_checks(judge.unit, f) else {
        return ask(tools, plain, None, edges, cuts, limits, known, outcome);
    };
    // Reasons are looked up in the passive form, so it must have the same checks.
    let function = passify(judge.unit, &cut_loops(judge.unit, &with_checks));
    let sources = |function: &Function| function.blocks.values().map(|data| data.source).collect::<Vec<_>>();
    if sources(&function) != sources(judge.function) {
        return ask(tools, plain, None, edges, cuts, limits, known, outcome);
    }
    let judge = Judge { function: &function, ..*judge };
    ask(
        tools,
        FunctionForms { f: &with_checks, judge: &judge },
        Some(plain),
        edges,
        cuts,
        limits,
        known,
        outcome,
    );
}
