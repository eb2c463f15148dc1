//! The queries about one function: simple invariants first, then the Horn solver, within the loop budget.

use super::edges::{LoopEdge, uncovered_edges};
use super::report::{ProvedEdge, explained, one_for_each_cause};
use super::{ProvedBefore, RoundLimits};
use crate::horn::{EdgeAnswer, HornProblem};
use crate::judge::Judge;
use crate::limits::{HORN_QUERY_COST, SIMPLE_INVARIANTS_COST, USUAL_SIMPLE_QUERIES, WEIGHT_PER_COST};
use crate::pipeline::{Outcome, Tools};
use gainsay_ir::gc;
use gainsay_ir::passes::segments::Cut;
use gainsay_solver::Budget;

/// A function with its loops, and its passive form as part of a judge.
#[derive(Clone, Copy)]
pub(super) struct FunctionForms<'a> {
    pub(super) f: &'a gc::Function,
    pub(super) judge: &'a Judge<'a>,
}

/// `plain` is the function without checks of array elements, if `forms` has some.
#[expect(clippy::too_many_arguments, reason = "one caller")]
pub(super) fn ask(
    tools: &mut Tools,
    forms: FunctionForms,
    plain: Option<FunctionForms>,
    edges: Vec<LoopEdge>,
    cuts: &[Cut],
    limits: &RoundLimits,
    known: &mut ProvedBefore,
    outcome: &mut Outcome,
) {
    let FunctionForms { f, judge } = forms;
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
    let cost = SIMPLE_INVARIANTS_COST + USUAL_SIMPLE_QUERIES * asker.problem.weight() / WEIGHT_PER_COST;
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
        if i >= limits.failures && asker.proved.is_empty() || !tools.loop_budget.affords(HORN_QUERY_COST) {
            outcome.loops.left_out += 1;
            continue;
        }
        let answer = asker.ask(tools, number, edges[number], outcome);
        if answer != Some(true) {
            tools.loop_budget.pay(HORN_QUERY_COST);
        }
        outcome.loops.unanswered += u64::from(answer.is_none());
    }
    outcome.loops.asked += edges.len().min(limits.questions) as u64;
    known.edges.extend(asker.proved_edges);
    known.causes.extend(one_for_each_cause(judge, asker.proved, &known.causes, &mut outcome.findings));
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
