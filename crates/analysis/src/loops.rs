//! Edges that are impossible because of loops (horn-clauses-with-loops). `reach` havocs what loops write, so
//! an edge that it finds possible may not be. Edges that no run with few iterations takes are decided by Horn
//! clauses, within a budget (docs/decisions/014-loop-budget.md).

mod ask;
mod edges;
mod loop_budget;
mod report;

pub use loop_budget::{LoopBudget, LoopBudgetUse};

use crate::context::{Cx, Stage};
use crate::horn::{self, CoverageEffort, EdgeAnswer, HornProblem};
use crate::judge::Judge;
use crate::limits::{
    EASY_ROUND, PATIENT_ROUND, RUN_LOOP_BUDGET, RUN_LOOP_BUDGET_PER_BLOCK, SIMPLE_INVARIANTS_COST,
    UNIT_LOOP_BUDGET,
};
use crate::reach;
use ask::{FunctionForms, ask};
use edges::{open_edges, uncovered_edges};
use gainsay_ir::gc;
use gainsay_ir::passes::segments::{Cut, heads};
use gainsay_ir::passes::{cut_loops, passify, prune};
use gainsay_ir::passive::Function;
use gainsay_report::finding::Finding;
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
        let (edges, _) = uncovered_edges(session, unit, &f, function, edges, Round { cuts: &cuts, limits });
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

/// The edges that are impossible because of loops.
pub(crate) fn find(cx: &mut Cx) -> Vec<Finding> {
    let mut results = LoopResults::default();
    let cuts = heads(cx.f);
    if cuts.is_empty() || cx.tools.loops == Loops::Off {
        return Vec::new();
    }
    cx.tally.loops.functions = 1;
    if cx.edges.never_ends {
        return Vec::new();
    }
    for (number, limits) in cx.tools.loops.rounds().iter().enumerate() {
        // Only the first round is rationed.
        let rationed = cx.tools.loop_budget.clone();
        if number > 0 {
            *cx.tools.loop_budget = LoopBudget::new(u64::MAX);
        }
        if !limits.exclude(cx.f, &cuts) && cx.tools.loop_budget.affords(SIMPLE_INVARIANTS_COST) {
            cx.begin(Stage::Horn);
            ask_round(cx, Round { cuts: &cuts, limits }, &mut results);
        }
        if number > 0 {
            *cx.tools.loop_budget = rationed;
        }
    }
    results.findings
}

/// Results of all rounds so far.
#[derive(Default)]
struct LoopResults {
    findings: Vec<Finding>,
    /// Edges that were proved impossible.
    edges: Vec<gc::Block>,
    /// Causes of findings that are not noise.
    causes: Vec<gc::Loc>,
}

/// One round of queries about a function.
#[derive(Clone, Copy)]
struct Round<'a> {
    cuts: &'a [Cut],
    limits: &'a RoundLimits,
}

fn ask_round(cx: &mut Cx, round: Round, results: &mut LoopResults) {
    let (f, judge) = (cx.f, cx.judge);
    // Edges that the previous round left open are queried again.
    cx.tally.loops =
        Asked { left_out: 0, unanswered: 0, asked: results.edges.len() as u64, ..cx.tally.loops };
    let mut edges = open_edges(f, judge.function, &cx.edges);
    edges.retain(|edge| !results.edges.contains(&edge.gc));
    let plain = FunctionForms { f, judge };
    let Some(with_checks) = horn::with_checks(judge.unit, f) else {
        return ask(cx, round, plain, None, edges, results);
    };
    // Reasons are looked up in the passive form, so it must have the same checks.
    let function = passify(judge.unit, &cut_loops(judge.unit, &with_checks));
    let sources = |function: &Function| function.blocks.values().map(|data| data.source).collect::<Vec<_>>();
    if sources(&function) != sources(judge.function) {
        return ask(cx, round, plain, None, edges, results);
    }
    let judge = Judge::new(judge.unit, &function, judge.source);
    ask(cx, round, FunctionForms { f: &with_checks, judge: &judge }, Some(plain), edges, results);
}
