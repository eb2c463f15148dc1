//! Edges that are impossible because of loops (horn-clauses-with-loops). `reach` havocs what loops write, so
//! an edge that it finds possible may not be. Edges that no run with few iterations takes are decided by Horn
//! clauses, within a budget (docs/decisions/014-loop-budget.md).

mod loop_budget;
mod report;

pub use loop_budget::{LoopBudget, LoopBudgetUse};

use crate::edges::{above, branch_edges, dominators};
use crate::horn::{self, CoverageEffort, EdgeAnswer, HornProblem};
use crate::judge::Judge;
use crate::pipeline::{Outcome, Stage, Tools};
use crate::reach;
use crate::witness::can_end;
use gainsay_ir::gc::{self, Origin};
use gainsay_ir::passes::segments::{Cut, heads};
use gainsay_ir::passes::{cut_loops, passify, prune};
use gainsay_ir::passive::{Block, CmdKind, Function};
use gainsay_report::loops::Asked;
use gainsay_solver::{Budget, Program, Session};
use report::{ProvedEdge, explained, one_for_each_cause};
use std::time::Duration;

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

const SIMPLE_INVARIANTS: u64 = 500;
const HORN_QUESTION: u64 = 5_000;

const USUAL_QUESTIONS: u64 = 8;
const ASKED: u64 = 16;

const SEARCHED: u64 = 24;

const FOR_THE_RUN: u64 = 20 * HORN_QUESTION;
const FOR_A_UNIT: u64 = 10_000;

/// The budget for the easy queries about the loops of a unit: a fixed amount per unit and its share of the
/// initial amount for the whole run.
pub fn loop_budget(functions: &[gc::Function], n_units: u32) -> LoopBudget {
    let blocks: u64 = functions.iter().map(|f| f.blocks.len() as u64).sum();
    LoopBudget::new(FOR_A_UNIT + FOR_THE_RUN.saturating_sub(16 * blocks) / u64::from(n_units.max(1)))
}

struct RoundLimits {
    blocks: usize,
    heads: usize,
    /// Live variables at a loop head.
    state: usize,
    /// Queries about a function, and how many of them may fail before the rest is skipped.
    questions: usize,
    in_vain: usize,
    /// Strategies tried for each query.
    strategies: usize,
    budget: Budget,
    /// For queries that simple invariants may answer.
    first_budget: Budget,
    coverage: CoverageEffort,
}

impl RoundLimits {
    fn exclude(&self, f: &gc::Function, cuts: &[Cut]) -> bool {
        horn::size(f) > self.blocks || cuts.len() > self.heads || horn::is_too_large(f)
    }
}

impl RoundLimits {
    const BACKSTOP: Duration = Duration::from_secs(60);

    const EASY: RoundLimits = RoundLimits {
        blocks: 60,
        heads: 3,
        state: 9,
        questions: 6,
        in_vain: 1,
        strategies: 1,
        budget: Budget { effort: 500, backstop: RoundLimits::BACKSTOP },
        first_budget: Budget { effort: 40, backstop: RoundLimits::BACKSTOP },
        coverage: CoverageEffort::QUICK,
    };

    const PATIENT: RoundLimits = RoundLimits {
        blocks: 2_000,
        heads: 40,
        state: usize::MAX,
        questions: 1_000,
        in_vain: 1_000,
        strategies: usize::MAX,
        budget: Budget { effort: 6_000, backstop: RoundLimits::BACKSTOP },
        first_budget: Budget { effort: 6_000, backstop: RoundLimits::BACKSTOP },
        coverage: CoverageEffort::THOROUGH,
    };
}

impl Loops {
    /// The rounds of queries in order. A stronger setting begins with the queries of the weaker one, so that
    /// it proves at least as much.
    fn rounds(self) -> &'static [RoundLimits] {
        match self {
            Loops::Off => &[],
            Loops::Auto => &[RoundLimits::EASY],
            Loops::All => &[RoundLimits::EASY, RoundLimits::PATIENT],
        }
    }
}

/// An edge in the function with its loops, and in its passive form without.
#[derive(Clone, Copy)]
struct LoopEdge {
    gc: gc::Block,
    passive: Block,
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

/// The edges that no run with some iterations takes, the most promising first, and the cost of the search.
fn uncovered_edges(
    session: &mut Session,
    unit: &gc::Unit,
    f: &gc::Function,
    function: &Function,
    mut edges: Vec<LoopEdge>,
    cuts: &[Cut],
    limits: &RoundLimits,
) -> (Vec<LoopEdge>, u64) {
    let (whole, _) = horn::with_small_objects_as_variables(unit, f);
    let cuts_of_whole = heads(&whole);
    let mut cost = 0;
    for coverage in [limits.coverage, CoverageEffort::LONG] {
        let blocks: Vec<gc::Block> = edges.iter().map(|edge| edge.gc).collect();
        let covered = horn::covered(session, unit, &whole, &cuts_of_whole, &blocks, coverage, limits.budget);
        edges.retain(|edge| !covered.edges.contains(&edge.gc));
        cost += covered.cost / SEARCHED;
    }
    edges.sort_by_key(|edge| priority(function, cuts, *edge));
    (edges, cost)
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
        if !limits.exclude(f, &cuts) && tools.loop_budget.affords(SIMPLE_INVARIANTS) {
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

#[expect(clippy::too_many_arguments, reason = "what a round of questions needs, for one caller")]
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

/// A function with its loops, and its passive form as part of a judge.
#[derive(Clone, Copy)]
struct FunctionForms<'a> {
    f: &'a gc::Function,
    judge: &'a Judge<'a>,
}

/// `plain` is the function without checks of array elements, if `forms` has some.
#[expect(clippy::too_many_arguments, reason = "what a round of questions needs, for one caller")]
fn ask(
    tools: &mut Tools,
    view: FunctionForms,
    plain: Option<FunctionForms>,
    edges: Vec<LoopEdge>,
    cuts: &[Cut],
    limits: &RoundLimits,
    known: &mut ProvedBefore,
    outcome: &mut Outcome,
) {
    let FunctionForms { f, judge } = view;
    let (edges, cost) = uncovered_edges(tools.first, judge.unit, f, judge.function, edges, cuts, limits);
    tools.loop_budget.pay(cost);
    if edges.is_empty() {
        return;
    }
    let blocks: Vec<gc::Block> = edges.iter().map(|edge| edge.gc).collect();
    let mut asker = LoopAsker {
        problem: HornProblem::new(judge.unit, f, &blocks),
        judge,
        budget: limits.first_budget,
        proved: Vec::new(),
        proved_edges: Vec::new(),
        plain,
        edges: &blocks,
        limits,
    };
    if asker.problem.cuts.iter().any(|cut| asker.problem.state(cut) > limits.state) {
        outcome.loops.left_out += edges.len() as u64;
        return;
    }
    // First the queries that simple invariants may answer: they are cheap.
    let cost = SIMPLE_INVARIANTS + USUAL_QUESTIONS * asker.problem.weight() / ASKED;
    if !tools.loop_budget.affords(cost) {
        outcome.loops.left_out += edges.len() as u64;
        return;
    }
    asker.problem.limit_strategies(0);
    let mut remaining: Vec<usize> = Vec::new();
    for (number, &edge) in edges.iter().enumerate().take(limits.questions) {
        if asker.ask(tools, number, edge, outcome) != Some(true) {
            remaining.push(number);
        }
    }
    if asker.proved.is_empty() {
        tools.loop_budget.pay(cost);
    }
    outcome.loops.left_out += edges.len().saturating_sub(limits.questions) as u64;
    asker.problem.limit_strategies(limits.strategies);
    asker.budget = limits.budget;
    for (i, &number) in remaining.iter().enumerate() {
        if i >= limits.in_vain && asker.proved.is_empty() || !tools.loop_budget.affords(HORN_QUESTION) {
            outcome.loops.left_out += 1;
            continue;
        }
        let answer = asker.ask(tools, number, edges[number], outcome);
        if answer != Some(true) {
            tools.loop_budget.pay(HORN_QUESTION);
        }
        outcome.loops.unanswered += u64::from(answer.is_none());
    }
    outcome.loops.asked += edges.len().min(limits.questions) as u64;
    known.edges.extend(asker.proved_edges);
    known.causes.extend(one_for_each_cause(judge, asker.proved, &known.causes, &mut outcome.findings));
}

struct LoopAsker<'a> {
    problem: HornProblem,
    judge: &'a Judge<'a>,
    budget: Budget,
    proved: Vec<ProvedEdge>,
    proved_edges: Vec<gc::Block>,
    /// The function without checks of array elements, if the problem has some.
    plain: Option<FunctionForms<'a>>,
    edges: &'a [gc::Block],
    limits: &'a RoundLimits,
}

impl LoopAsker<'_> {
    /// Whether the edge is impossible; `None` without an answer.
    fn ask(
        &mut self,
        tools: &mut Tools,
        number: usize,
        edge: LoopEdge,
        outcome: &mut Outcome,
    ) -> Option<bool> {
        match self.problem.ask(tools.first, tools.second.program(), number, self.budget) {
            EdgeAnswer::Impossible(proof) => {
                outcome.loops.impossible += 1;
                self.proved_edges.push(edge.gc);
                outcome.is_inconsistent = true;
                let proved = explained(tools, self.judge, &mut self.problem, (number, edge), &proof, outcome);
                self.proved.extend(
                    proved.map(|proved| self.prefer_plain_proof(tools, number, edge, proved, outcome)),
                );
                Some(true)
            }
            EdgeAnswer::Possible => Some(false),
            EdgeAnswer::Unknown(_) => None,
        }
    }
}

impl LoopAsker<'_> {
    /// Replaces a proof that rests on an array element being written before the edge, which explains little,
    /// by one without such checks, if there is one.
    fn prefer_plain_proof(
        &self,
        tools: &mut Tools,
        number: usize,
        edge: LoopEdge,
        proved: ProvedEdge,
        outcome: &mut Outcome,
    ) -> ProvedEdge {
        let Some(plain) = self.plain.filter(|_| proved.needs_element_before) else { return proved };
        let mut problem = HornProblem::new(self.judge.unit, plain.f, self.edges);
        problem.limit_strategies(self.limits.strategies);
        match problem.ask(tools.first, tools.second.program(), number, self.limits.budget) {
            EdgeAnswer::Impossible(proof) => {
                explained(tools, plain.judge, &mut problem, (number, edge), &proof, outcome).unwrap_or(proved)
            }
            _ => proved,
        }
    }
}

/// Sort key of queries: edges into a loop with checks, edges out of a loop, other edges.
fn priority(function: &Function, cuts: &[Cut], edge: LoopEdge) -> (u8, Block) {
    let is_inside = |cut: &Cut| cut.members.contains(&edge.gc);
    let checks = |cut: &Cut| {
        let inside = function.blocks.values().filter(|data| cut.members.contains(&data.source));
        inside.flat_map(|data| &data.cmds).any(|cmd| matches!(cmd.kind, CmdKind::Assert(..)))
    };
    let is_of_loop = is_of_loop(function, edge);
    let rank = match cuts.iter().find(|cut| is_inside(cut)) {
        Some(cut) if is_of_loop && checks(cut) => 0,
        None if is_of_loop => 1,
        _ => 2,
    };
    (rank, edge.passive)
}

/// Whether the edge is an outcome of a loop's own condition.
fn is_of_loop(function: &Function, edge: LoopEdge) -> bool {
    let branch = function.blocks[edge.passive].branch;
    branch.is_some_and(|branch| matches!(branch.origin, Origin::LoopEntry | Origin::LoopAgain))
}

/// The edges that `reach` found possible.
fn open_edges(f: &gc::Function, function: &Function, decided: &reach::Edges) -> Vec<LoopEdge> {
    let can_end = can_end(function);
    let dominators = dominators(function);
    let is_impossible = |block: Block| decided.impossible.binary_search(&block).is_ok();
    let is_open = |&edge: &Block| {
        can_end.contains(edge)
            && !is_impossible(edge)
            && !decided.undecided.contains(&edge)
            && !above(&dominators, edge).any(is_impossible)
    };
    let mut edges: Vec<LoopEdge> = Vec::new();
    for passive in branch_edges(function).into_iter().filter(is_open) {
        if let Some(gc) = horn::edge_of(f, function, passive)
            && edges.iter().all(|edge| edge.gc != gc)
        {
            edges.push(LoopEdge { gc, passive });
        }
    }
    edges
}
