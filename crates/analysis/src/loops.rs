//! Loops taken seriously: `reach` forgets what loops do, so edges that it calls possible may not be. Those that no run
//! of a few iterations takes are asked about with Horn clauses (papers/horn-clauses-with-loops; design.md, section 6).

mod loop_budget;
mod report;

pub use loop_budget::{LoopBudget, Use};

use crate::context::{Cx, Stage};
use crate::edges::{above, branch_edges, dominators};
use crate::horn::{self, Answer, Coverage, Problem};
use crate::judge::Judge;
use crate::reach;
use crate::witness::can_end;
use gainsay_ir::gc::{self, Origin};
use gainsay_ir::passes::segments::{Cut, heads};
use gainsay_ir::passes::{cut_loops, passify, prune};
use gainsay_ir::passive::{Block, CmdKind, Function};
use gainsay_report::finding::Finding;
use gainsay_report::loops::Asked;
use gainsay_solver::{Budget, Program, Session};
use report::{Proved, explained, one_for_each_cause};
use std::time::Duration;

/// How much loops are worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Loops {
    /// What they write is forgotten, and that is all.
    Off,
    /// Small functions, and a few questions that are easy.
    #[default]
    Auto,
    /// Every edge that could matter, with patience.
    All,
}

/// What questions that bring nothing cost, in blocks that `reach` decides in half the time: about 7 microseconds.
const SIMPLE_INVARIANTS: u64 = 500;
const HORN_QUESTION: u64 = 5_000;

/// How many questions simple invariants usually need, and how large a formula is that costs as much as one block.
const USUAL_QUESTIONS: u64 = 8;
const ASKED: u64 = 16;

/// So many commands that are copied or walked through in the search for runs cost as much as one block.
const SEARCHED: u64 = 24;

/// Small programs are worth some questions although they cost more than `reach`.
const FOR_THE_RUN: u64 = 20 * HORN_QUESTION;
const FOR_A_UNIT: u64 = 10_000;

/// What the easy questions about the loops of a unit may cost: the same for each, and its share of what there is to begin
/// with.
pub fn loop_budget(functions: &[gc::Function], n_units: u32) -> LoopBudget {
    let blocks: u64 = functions.iter().map(|f| f.blocks.len() as u64).sum();
    LoopBudget::new(FOR_A_UNIT + FOR_THE_RUN.saturating_sub(16 * blocks) / u64::from(n_units.max(1)))
}

struct Limits {
    blocks: usize,
    heads: usize,
    /// Variables that matter at the head of a loop.
    state: usize,
    /// Questions about a function, and how many of them may bring nothing.
    questions: usize,
    in_vain: usize,
    /// How many ways to ask each are tried.
    ways: usize,
    budget: Budget,
    /// For what follows from simple invariants.
    first_budget: Budget,
    coverage: Coverage,
}

impl Limits {
    fn exclude(&self, f: &gc::Function, cuts: &[Cut]) -> bool {
        horn::size(f) > self.blocks || cuts.len() > self.heads || horn::is_too_large(f)
    }
}

impl Limits {
    const BACKSTOP: Duration = Duration::from_secs(60);

    const EASY: Limits = Limits {
        blocks: 60,
        heads: 3,
        state: 9,
        questions: 6,
        in_vain: 1,
        ways: 1,
        budget: Budget { effort: 500, backstop: Limits::BACKSTOP },
        first_budget: Budget { effort: 40, backstop: Limits::BACKSTOP },
        coverage: Coverage::QUICK,
    };

    const PATIENT: Limits = Limits {
        blocks: 2_000,
        heads: 40,
        state: usize::MAX,
        questions: 1_000,
        in_vain: 1_000,
        ways: usize::MAX,
        budget: Budget { effort: 6_000, backstop: Limits::BACKSTOP },
        first_budget: Budget { effort: 6_000, backstop: Limits::BACKSTOP },
        coverage: Coverage::THOROUGH,
    };
}

impl Loops {
    /// The rounds of questions, one after the other. A stronger setting begins with the questions of the weaker one, so
    /// that it proves at least as much.
    fn rounds(self) -> &'static [Limits] {
        match self {
            Loops::Off => &[],
            Loops::Auto => &[Limits::EASY],
            Loops::All => &[Limits::EASY, Limits::PATIENT],
        }
    }
}

/// An edge in the function with its loops and in the passive form without.
#[derive(Clone, Copy)]
struct Edge {
    gc: gc::Block,
    passive: Block,
}

/// Adds the edges that are impossible because of loops to the answers of `reach`, without a word why; for oracles. `f` is
/// prepared, `function` its passive form.
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
        let (edges, _) = edges_left(session, unit, &f, function, edges, &cuts, limits);
        let blocks: Vec<gc::Block> = edges.iter().map(|edge| edge.gc).collect();
        if edges.is_empty() {
            continue;
        }
        let mut problem = Problem::new(unit, &f, &blocks);
        problem.limit_ways(limits.ways);
        for (number, edge) in edges.iter().enumerate().take(limits.questions) {
            if let Answer::Impossible(_) = problem.ask(session, spacer, number, limits.budget) {
                decided.impossible.push(edge.passive);
            }
        }
        decided.impossible.sort();
    }
}

/// The edges that no run of some iterations takes, the most promising first, and what it cost to find out.
fn edges_left(
    session: &mut Session,
    unit: &gc::Unit,
    f: &gc::Function,
    function: &Function,
    mut edges: Vec<Edge>,
    cuts: &[Cut],
    limits: &Limits,
) -> (Vec<Edge>, u64) {
    let (whole, _) = horn::with_small_objects_as_variables(unit, f);
    let cuts_of_whole = heads(&whole);
    let mut cost = 0;
    for coverage in [limits.coverage, Coverage::LONG] {
        let blocks: Vec<gc::Block> = edges.iter().map(|edge| edge.gc).collect();
        let covered = horn::covered(session, unit, &whole, &cuts_of_whole, &blocks, coverage, limits.budget);
        edges.retain(|edge| !covered.edges.contains(&edge.gc));
        cost += covered.cost / SEARCHED;
    }
    edges.sort_by_key(|edge| promise(function, cuts, *edge));
    (edges, cost)
}

/// The edges that are impossible because of loops.
pub(crate) fn find(cx: &mut Cx) -> Vec<Finding> {
    let mut found = Vec::new();
    let cuts = heads(cx.f);
    if cuts.is_empty() || cx.tools.loops == Loops::Off {
        return found;
    }
    cx.tally.loops.functions = 1;
    if cx.edges.never_ends {
        return found;
    }
    let mut known = Known::default();
    for (round, limits) in cx.tools.loops.rounds().iter().enumerate() {
        // Only the easy questions are rationed.
        let rationed = cx.tools.loop_budget.clone();
        if round > 0 {
            *cx.tools.loop_budget = LoopBudget::new(u64::MAX);
        }
        if !limits.exclude(cx.f, &cuts) && cx.tools.loop_budget.affords(SIMPLE_INVARIANTS) {
            cx.begin(Stage::Horn);
            ask_round(cx, &cuts, limits, &mut known, &mut found);
        }
        if round > 0 {
            *cx.tools.loop_budget = rationed;
        }
    }
    found
}

/// What the rounds before have proved.
#[derive(Default)]
struct Known {
    edges: Vec<gc::Block>,
    /// Of findings that are no noise.
    causes: Vec<gc::Loc>,
}

fn ask_round(cx: &mut Cx, cuts: &[Cut], limits: &Limits, known: &mut Known, found: &mut Vec<Finding>) {
    let (f, judge) = (cx.f, cx.judge);
    // What the round before left open is asked about again.
    cx.tally.loops = Asked { left_out: 0, unanswered: 0, asked: known.edges.len() as u64, ..cx.tally.loops };
    let mut edges = open_edges(f, judge.function, &cx.edges);
    edges.retain(|edge| !known.edges.contains(&edge.gc));
    let plain = View { f, judge };
    let Some(with_checks) = horn::with_checks(judge.unit, f) else {
        return ask(cx, plain, None, edges, cuts, limits, known, found);
    };
    // Reasons are looked up in the passive form, so it must have the same checks.
    let function = passify(judge.unit, &cut_loops(judge.unit, &with_checks));
    let sources = |function: &Function| function.blocks.values().map(|data| data.source).collect::<Vec<_>>();
    if sources(&function) != sources(judge.function) {
        return ask(cx, plain, None, edges, cuts, limits, known, found);
    }
    let judge = Judge::new(judge.unit, &function, judge.source);
    ask(cx, View { f: &with_checks, judge: &judge }, Some(plain), edges, cuts, limits, known, found);
}

/// A function with its loops, and without in the hands of a judge.
#[derive(Clone, Copy)]
struct View<'a> {
    f: &'a gc::Function,
    judge: &'a Judge<'a>,
}

/// `plain` is the function without checks of elements, if `view` has some.
#[expect(clippy::too_many_arguments, reason = "what a round of questions needs, for one caller")]
fn ask(
    cx: &mut Cx,
    view: View,
    plain: Option<View>,
    edges: Vec<Edge>,
    cuts: &[Cut],
    limits: &Limits,
    known: &mut Known,
    found: &mut Vec<Finding>,
) {
    let View { f, judge } = view;
    let (edges, cost) = edges_left(cx.tools.first, judge.unit, f, judge.function, edges, cuts, limits);
    cx.tools.loop_budget.pay(cost);
    if edges.is_empty() {
        return;
    }
    let blocks: Vec<gc::Block> = edges.iter().map(|edge| edge.gc).collect();
    let mut asker = Asker {
        problem: Problem::new(judge.unit, f, &blocks),
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
    // First what follows from simple invariants, which costs little.
    let cost = SIMPLE_INVARIANTS + USUAL_QUESTIONS * asker.problem.weight() / ASKED;
    if !cx.tools.loop_budget.affords(cost) {
        cx.tally.loops.left_out += edges.len() as u64;
        return;
    }
    asker.problem.limit_ways(0);
    let mut left: Vec<usize> = Vec::new();
    for (number, &edge) in edges.iter().enumerate().take(limits.questions) {
        if asker.ask(cx, number, edge) != Some(true) {
            left.push(number);
        }
    }
    if asker.proved.is_empty() {
        cx.tools.loop_budget.pay(cost);
    }
    cx.tally.loops.left_out += edges.len().saturating_sub(limits.questions) as u64;
    asker.problem.limit_ways(limits.ways);
    asker.budget = limits.budget;
    for (i, &number) in left.iter().enumerate() {
        if i >= limits.in_vain && asker.proved.is_empty() || !cx.tools.loop_budget.affords(HORN_QUESTION) {
            cx.tally.loops.left_out += 1;
            continue;
        }
        let answer = asker.ask(cx, number, edges[number]);
        if answer != Some(true) {
            cx.tools.loop_budget.pay(HORN_QUESTION);
        }
        cx.tally.loops.unanswered += u64::from(answer.is_none());
    }
    cx.tally.loops.asked += edges.len().min(limits.questions) as u64;
    known.edges.extend(asker.proved_edges);
    known.causes.extend(one_for_each_cause(judge, asker.proved, &known.causes, &mut cx.findings, found));
}

struct Asker<'a> {
    problem: Problem,
    judge: &'a Judge<'a>,
    budget: Budget,
    proved: Vec<Proved>,
    proved_edges: Vec<gc::Block>,
    /// Without checks of elements.
    plain: Option<View<'a>>,
    edges: &'a [gc::Block],
    limits: &'a Limits,
}

impl Asker<'_> {
    /// Is the edge impossible? `None` if that could not be found out.
    fn ask(&mut self, cx: &mut Cx, number: usize, edge: Edge) -> Option<bool> {
        match self.problem.ask(cx.tools.first, cx.tools.second.program(), number, self.budget) {
            Answer::Impossible(proof) => {
                cx.tally.loops.impossible += 1;
                self.proved_edges.push(edge.gc);
                cx.tally.is_inconsistent = true;
                let proved = explained(cx, self.judge, &mut self.problem, (number, edge), &proof);
                self.proved.extend(proved.map(|proved| self.said_plainly(cx, number, edge, proved)));
                Some(true)
            }
            Answer::Possible => Some(false),
            Answer::Unknown(_) => None,
        }
    }
}

impl Asker<'_> {
    /// That an element of an array must have been written before the edge is a poor reason if there is another.
    fn said_plainly(&self, cx: &mut Cx, number: usize, edge: Edge, proved: Proved) -> Proved {
        let Some(plain) = self.plain.filter(|_| proved.needs_element_before) else { return proved };
        let mut problem = Problem::new(self.judge.unit, plain.f, self.edges);
        problem.limit_ways(self.limits.ways);
        match problem.ask(cx.tools.first, cx.tools.second.program(), number, self.limits.budget) {
            Answer::Impossible(proof) => {
                explained(cx, plain.judge, &mut problem, (number, edge), &proof).unwrap_or(proved)
            }
            _ => proved,
        }
    }
}

/// Which edges are asked about first: into a loop that something can fail in, out of a loop, the rest.
fn promise(function: &Function, cuts: &[Cut], edge: Edge) -> (u8, Block) {
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

/// Is it an outcome of a loop's own condition?
fn is_of_loop(function: &Function, edge: Edge) -> bool {
    let branch = function.blocks[edge.passive].branch;
    branch.is_some_and(|branch| matches!(branch.origin, Origin::LoopEntry | Origin::LoopAgain))
}

/// The edges that `reach` found possible.
fn open_edges(f: &gc::Function, function: &Function, decided: &reach::Edges) -> Vec<Edge> {
    let can_end = can_end(function);
    let dominators = dominators(function);
    let is_impossible = |block: Block| decided.impossible.binary_search(&block).is_ok();
    let is_open = |&edge: &Block| {
        can_end.contains(edge)
            && !is_impossible(edge)
            && !decided.undecided.contains(&edge)
            && !above(&dominators, edge).any(is_impossible)
    };
    let mut edges: Vec<Edge> = Vec::new();
    for passive in branch_edges(function).into_iter().filter(is_open) {
        if let Some(gc) = horn::edge_of(f, function, passive)
            && edges.iter().all(|edge| edge.gc != gc)
        {
            edges.push(Edge { gc, passive });
        }
    }
    edges
}
