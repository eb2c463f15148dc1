//! The queries about one function: simple invariants first, then the Horn solver, within the loop budget.

use super::edges::{LoopEdge, uncovered_edges};
use super::report::{ProvedEdge, explained, one_for_each_cause};
use super::{LoopResults, Round, RoundLimits};
use crate::context::Cx;
use crate::horn::{EdgeAnswer, HornProblem};
use crate::judge::Judge;
use crate::limits::{HORN_QUERY_COST, SIMPLE_INVARIANTS_COST, USUAL_SIMPLE_QUERIES, WEIGHT_PER_COST};
use gainsay_ir::gc;
use gainsay_solver::Budget;

/// A function with its loops, and its passive form as part of a judge.
#[derive(Clone, Copy)]
pub(super) struct FunctionForms<'a> {
    pub(super) f: &'a gc::Function,
    pub(super) judge: &'a Judge<'a>,
}

/// `plain` is the function without checks of array elements, if `forms` has some.
pub(super) fn ask(
    cx: &mut Cx,
    round: Round,
    forms: FunctionForms,
    plain: Option<FunctionForms>,
    edges: Vec<LoopEdge>,
    results: &mut LoopResults,
) {
    let (FunctionForms { f, judge }, limits) = (forms, round.limits);
    let (edges, cost) = uncovered_edges(cx.tools.first, judge.unit, f, judge.function, edges, round);
    cx.tools.loop_budget.pay(cost);
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
        cx.tally.loops.left_out += edges.len() as u64;
        return;
    }
    // First the queries that simple invariants may answer: they are cheap.
    let cost = SIMPLE_INVARIANTS_COST + USUAL_SIMPLE_QUERIES * asker.problem.weight() / WEIGHT_PER_COST;
    if !cx.tools.loop_budget.affords(cost) {
        cx.tally.loops.left_out += edges.len() as u64;
        return;
    }
    asker.problem.limit_strategies(0);
    let mut remaining: Vec<usize> = Vec::new();
    for (number, &edge) in edges.iter().enumerate().take(limits.questions) {
        if asker.ask(cx, number, edge) != Some(true) {
            remaining.push(number);
        }
    }
    if asker.proved.is_empty() {
        cx.tools.loop_budget.pay(cost);
    }
    cx.tally.loops.left_out += edges.len().saturating_sub(limits.questions) as u64;
    asker.problem.limit_strategies(limits.strategies);
    asker.budget = limits.budget;
    for (i, &number) in remaining.iter().enumerate() {
        if i >= limits.failures && asker.proved.is_empty() || !cx.tools.loop_budget.affords(HORN_QUERY_COST) {
            cx.tally.loops.left_out += 1;
            continue;
        }
        let answer = asker.ask(cx, number, edges[number]);
        if answer != Some(true) {
            cx.tools.loop_budget.pay(HORN_QUERY_COST);
        }
        cx.tally.loops.unanswered += u64::from(answer.is_none());
    }
    cx.tally.loops.asked += edges.len().min(limits.questions) as u64;
    results.edges.extend(asker.proved_edges);
    one_for_each_cause(judge, asker.proved, &mut cx.findings, results);
}

/// Queries about the edges of one function, and what they proved.
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
    fn ask(&mut self, cx: &mut Cx, number: usize, edge: LoopEdge) -> Option<bool> {
        match self.problem.ask(cx.tools.first, cx.tools.second.program(), number, self.budget) {
            EdgeAnswer::Impossible(proof) => {
                cx.tally.loops.impossible += 1;
                self.proved_edges.push(edge.gc);
                cx.tally.is_inconsistent = true;
                let proved = explained(cx, self.judge, &mut self.problem, (number, edge), &proof);
                self.proved.extend(proved.map(|proved| self.prefer_plain_proof(cx, number, edge, proved)));
                Some(true)
            }
            EdgeAnswer::Possible => Some(false),
            EdgeAnswer::Unknown(_) => None,
        }
    }

    /// Replaces a proof that rests on an array element being written before the edge, which explains little,
    /// by one without such checks, if there is one.
    fn prefer_plain_proof(
        &self,
        cx: &mut Cx,
        number: usize,
        edge: LoopEdge,
        proved: ProvedEdge,
    ) -> ProvedEdge {
        let Some(plain) = self.plain.filter(|_| proved.needs_element_before) else { return proved };
        let mut problem = HornProblem::new(self.judge.unit, plain.f, self.edges);
        problem.limit_strategies(self.limits.strategies);
        match problem.ask(cx.tools.first, cx.tools.second.program(), number, self.limits.budget) {
            EdgeAnswer::Impossible(proof) => {
                explained(cx, plain.judge, &mut problem, (number, edge), &proof).unwrap_or(proved)
            }
            _ => proved,
        }
    }
}
