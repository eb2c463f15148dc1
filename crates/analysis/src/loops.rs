//! Loops taken seriously: `reach` forgets what loops do, so edges that it calls possible may not be. Those that no run
//! of a few iterations takes are asked about with Horn clauses (papers/horn-clauses-with-loops; design.md, section 6).

use crate::edges::{above, branch_edges, dominators};
use crate::explain::{Core, Subject};
use crate::horn::{self, Answer, Coverage, Needed, Problem, Proof, Role, Said};
use crate::judge::{CONTRADICTORY_CONDITION, ENDLESS, FATAL_BRANCH, Judge};
use crate::noise;
use crate::pipeline::{Outcome, Stage, Tools};
use crate::reach;
use crate::witness::can_end;
use gainsay_ir::gc::{self, Loc, Origin};
use gainsay_ir::passes::prune;
use gainsay_ir::passes::segments::{Cut, heads};
use gainsay_ir::passive::{Block, CmdKind, Function};
use gainsay_report::finding::{Finding, Related};
use gainsay_report::noise::Noise;
use gainsay_solver::encode::Statement;
use gainsay_solver::{Budget, Program, Session};
use std::collections::BTreeMap;
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

/// What may be spent on the reasons of a proof.
const REASONS: Budget = Budget { effort: 60_000, backstop: Duration::from_secs(60) };

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
        f.blocks.len() > self.blocks || cuts.len() > self.heads || horn::is_too_large(f)
    }
}

impl Loops {
    fn limits(self) -> Option<Limits> {
        let backstop = Duration::from_secs(60);
        match self {
            Loops::Off => None,
            Loops::Auto => Some(Limits {
                blocks: 60,
                heads: 3,
                state: 9,
                questions: 6,
                in_vain: 1,
                ways: 1,
                budget: Budget { effort: 800, backstop },
                first_budget: Budget { effort: 40, backstop },
                coverage: Coverage::QUICK,
            }),
            Loops::All => Some(Limits {
                blocks: 2_000,
                heads: 40,
                state: usize::MAX,
                questions: 1_000,
                in_vain: 1_000,
                ways: usize::MAX,
                budget: Budget { effort: 6_000, backstop },
                first_budget: Budget { effort: 6_000, backstop },
                coverage: Coverage::THOROUGH,
            }),
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
    let (Some(limits), cuts) = (loops.limits(), heads(&f)) else { return };
    if cuts.is_empty() || decided.never_ends || limits.exclude(&f, &cuts) {
        return;
    }
    let edges = edges_left(session, unit, &f, function, decided, &cuts, &limits);
    let blocks: Vec<gc::Block> = edges.iter().map(|edge| edge.gc).collect();
    if edges.is_empty() {
        return;
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

/// The edges that no run of a few iterations takes, the most promising first.
fn edges_left(
    session: &mut Session,
    unit: &gc::Unit,
    f: &gc::Function,
    function: &Function,
    decided: &reach::Edges,
    cuts: &[Cut],
    limits: &Limits,
) -> Vec<Edge> {
    let mut edges = open_edges(f, function, decided);
    let blocks: Vec<gc::Block> = edges.iter().map(|edge| edge.gc).collect();
    let (whole, _) = horn::with_small_objects_as_variables(unit, f);
    let covered = horn::covered(session, unit, &whole, cuts, &blocks, limits.coverage, limits.budget);
    edges.retain(|edge| !covered.contains(&edge.gc));
    edges.sort_by_key(|edge| promise(function, cuts, *edge));
    edges
}

/// `f` is pruned, `judge.function` its passive form.
pub(crate) fn find(
    tools: &mut Tools,
    f: &gc::Function,
    judge: &Judge,
    decided: &reach::Edges,
    outcome: &mut Outcome,
) {
    let Some(limits) = tools.loops.limits() else { return };
    let cuts = heads(f);
    if cuts.is_empty() {
        return;
    }
    outcome.loops.functions = 1;
    if decided.never_ends || limits.exclude(f, &cuts) {
        return;
    }
    (tools.begin)(Stage::Horn);
    let edges = edges_left(tools.first, judge.unit, f, judge.function, decided, &cuts, &limits);
    if edges.is_empty() {
        return;
    }
    let blocks: Vec<gc::Block> = edges.iter().map(|edge| edge.gc).collect();
    let mut asker = Asker {
        problem: Problem::new(judge.unit, f, &blocks),
        judge,
        budget: limits.first_budget,
        proved: Vec::new(),
    };
    if asker.problem.cuts.iter().any(|cut| cut.state.len() > limits.state) {
        outcome.loops.left_out += edges.len() as u64;
        return;
    }
    // First what follows from simple invariants, which costs little.
    asker.problem.limit_ways(0);
    let mut left: Vec<usize> = Vec::new();
    for number in 0..edges.len().min(limits.questions) {
        if asker.ask(tools, number, edges[number], outcome) != Some(true) {
            left.push(number);
        }
    }
    outcome.loops.left_out += edges.len().saturating_sub(limits.questions) as u64;
    asker.problem.limit_ways(limits.ways);
    asker.budget = limits.budget;
    asker.budget = limits.budget;
    for (i, &number) in left.iter().enumerate() {
        if *tools.purse == 0 || i >= limits.in_vain && asker.proved.is_empty() {
            outcome.loops.left_out += 1;
            continue;
        }
        match asker.ask(tools, number, edges[number], outcome) {
            Some(true) => {}
            Some(false) => *tools.purse -= 1,
            None => {
                *tools.purse -= 1;
                outcome.loops.unanswered += 1;
            }
        }
    }
    outcome.loops.asked += edges.len().min(limits.questions) as u64;
    one_for_each_cause(judge, asker.proved, &mut outcome.findings);
}

struct Asker<'a> {
    problem: Problem,
    judge: &'a Judge<'a>,
    budget: Budget,
    proved: Vec<Proved>,
}

impl Asker<'_> {
    /// Is the edge impossible? `None` if that could not be found out.
    fn ask(&mut self, tools: &mut Tools, number: usize, edge: Edge, outcome: &mut Outcome) -> Option<bool> {
        match self.problem.ask(tools.first, tools.second.program(), number, self.budget) {
            Answer::Impossible(proof) => {
                outcome.loops.impossible += 1;
                outcome.is_inconsistent = true;
                self.proved.extend(explained(tools, self.judge, &mut self.problem, (number, edge), &proof));
                Some(true)
            }
            Answer::Possible => Some(false),
            Answer::Unknown(_) => None,
        }
    }
}

/// A finding, and what it has in common with others of the same cause.
struct Proved {
    edge: Block,
    cause: Option<Loc>,
    /// The block of the check that fails.
    failing: Option<Block>,
    finding: Finding,
}

/// Of several findings of one cause the closest to what fails is the one to read; a finding of `reach` comes first.
fn one_for_each_cause(judge: &Judge, proved: Vec<Proved>, findings: &mut Vec<Finding>) {
    let dominators = dominators(judge.function);
    let closeness = |one: &Proved| {
        let leads = |failing: Block| {
            failing == one.edge || above(&dominators, failing).any(|block| block == one.edge)
        };
        let is_fatal = one.finding.rule == FATAL_BRANCH && one.failing.is_some_and(leads);
        (
            one.finding.class.is_none(),
            is_fatal,
            one.finding.rule == ENDLESS,
            if is_fatal { one.edge.as_u32() } else { 0 },
        )
    };
    let mut best: BTreeMap<Option<Loc>, (usize, _)> = BTreeMap::new();
    for (i, one) in proved.iter().enumerate().filter(|(_, one)| one.cause.is_some()) {
        let is_better = |(_, known): &(usize, _)| closeness(one) > *known;
        if best.get(&one.cause).is_none_or(is_better) {
            best.insert(one.cause, (i, closeness(one)));
        }
    }
    for (i, mut one) in proved.into_iter().enumerate() {
        let spot = one.cause.and_then(|loc| judge.source.spot(loc));
        let is_known = |known: &&mut Finding| {
            let mentions = |related: &Related| {
                spot.as_ref().is_some_and(|spot| {
                    related.file == spot.file && (related.line, related.column) == (spot.line, spot.column)
                })
            };
            known.class.is_none() && known.analyses != ["horn"] && known.related.iter().any(mentions)
        };
        let is_best = best.get(&one.cause).is_none_or(|(best, _)| *best == i);
        if let Some(known) = findings.iter_mut().find(is_known) {
            known.analyses.push("horn".into());
            known.analyses.dedup();
            one.finding.class = Some(Noise::Dominated.name().into());
        } else if !is_best {
            one.finding.class.get_or_insert(Noise::Dominated.name().into());
        }
        findings.push(one.finding);
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

fn explained(
    tools: &mut Tools,
    judge: &Judge,
    problem: &mut Problem,
    (number, edge): (usize, Edge),
    proof: &Proof,
) -> Option<Proved> {
    let subject = Subject::Edge(edge.passive);
    let can_end = can_end(judge.function);
    let class = noise::at_first_sight(judge.function, judge.source, edge.passive, &can_end);
    if let Some(class) = class.filter(|class| !tools.show.contains(class)) {
        let finding = by_horn(judge.unexplained(subject, class)?);
        return Some(Proved { edge: edge.passive, cause: None, failing: None, finding });
    }
    let needed = problem.reasons(tools.first, judge.unit, number, proof, REASONS)?;
    let core = core(judge.function, edge, &needed);
    let class = class.or_else(|| noise::by_reason(judge.function, judge.source, subject, &core));
    let class = class.or_else(|| noise::by_definitions(judge.function, judge.source, subject, &core));
    // That a loop keeps a test from failing is no contradiction, as long as nothing is done where it fails.
    let leaves_loop = is_of_loop(judge.function, edge);
    let is_idle = core.after.is_empty() && !leaves_loop && noise::holds_no_code(judge.function, edge.passive);
    let class = class.or(is_idle.then_some(Noise::Redundant));
    // What lies behind a loop that is never left is more than a test.
    let class = class.filter(|class| !(leaves_loop && *class == Noise::Redundant));
    let said = horn::words(problem, proof);
    let fails = |statement: &&Statement| is_failure(judge.function, **statement);
    let failing = core.after.iter().rev().find(fails).or_else(|| core.before.iter().rev().find(fails));
    let loc = |statement: &Statement| {
        let cmds = &judge.function.blocks[statement.block].cmds;
        cmds.get(statement.index as usize).or(cmds.last()).map(|cmd| cmd.loc)
    };
    let own = judge.function.blocks[edge.passive].cmds.first().map(|cmd| cmd.loc);
    let place = said.iter().find_map(|said| said.loc).or(own);
    let failed = failing.and_then(loc);
    let cause = if core.needs_end { place } else { failed.or(place.filter(|_| leaves_loop)) };
    let finding = judge.finding(subject, &core, class)?;
    let finding = by_horn(with_invariants(judge, subject, finding, &said));
    Some(Proved { edge: edge.passive, cause, failing: failing.map(|statement| statement.block), finding })
}

fn by_horn(finding: Finding) -> Finding {
    Finding { analyses: vec!["horn".into()], ..finding }
}

/// The statements of the proof in the passive form.
fn core(function: &Function, edge: Edge, needed: &[Needed]) -> Core {
    let own = Statement { block: edge.passive, index: 0 };
    let mut core = Core { before: vec![own], ..Core::default() };
    for needed in needed {
        let Some(statement) = statement(function, needed) else { continue };
        if statement == own {
            continue;
        }
        let list = if needed.after { &mut core.after } else { &mut core.before };
        if !list.contains(&statement) {
            list.push(statement);
        }
    }
    core.before.sort();
    core.after.sort();
    core.needs_end =
        !core.after.is_empty() && !core.after.iter().any(|&statement| is_failure(function, statement));
    core
}

fn is_failure(function: &Function, statement: Statement) -> bool {
    let cmd = function.blocks[statement.block].cmds.get(statement.index as usize);
    !matches!(cmd.map(|cmd| &cmd.kind), Some(CmdKind::Assume(_)))
}

fn statement(function: &Function, needed: &Needed) -> Option<Statement> {
    let (block, data) = function.blocks.iter().find(|(_, data)| data.source == needed.block)?;
    let is_it = |role: &CmdKind| match (role, needed.role) {
        (CmdKind::Assume(_), Role::Condition) => true,
        (CmdKind::Assert(check, _), Role::Check(wanted)) => *check == wanted,
        _ => false,
    };
    let index = match needed.role {
        Role::Error => data.cmds.len(),
        _ => data.cmds.iter().position(|cmd| cmd.loc == needed.loc && is_it(&cmd.kind))?,
    };
    Some(Statement { block, index: index as u32 })
}

/// What holds whenever a loop begins anew is the reason that a reader needs.
fn with_invariants(judge: &Judge, subject: Subject, mut finding: Finding, said: &[Said]) -> Finding {
    for said in said {
        let Some(spot) = said.loc.and_then(|loc| judge.source.spot(loc)) else { continue };
        let when = if said.passed { "from then on, whenever" } else { "whenever" };
        let message = format!("{when} this loop begins anew, `{}` holds", said.holds);
        finding.related.push(Related { file: spot.file, line: spot.line, column: spot.column, message });
    }
    finding.related.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
    match finding.rule.as_str() {
        FATAL_BRANCH => finding.message.push_str(", sooner or later"),
        ENDLESS => {
            let short = finding.message.split(": nothing in the loop").next().map(str::to_owned);
            finding.message = short.unwrap_or(finding.message);
            // The loop is what a person would change.
            let head = said.iter().find(|said| said.passed).and_then(|said| judge.source.spot(said.loc?));
            if let Some(head) = head {
                (finding.file, finding.line, finding.column) = (head.file, head.line, head.column);
                (finding.end_line, finding.end_column) = (head.end_line, head.end_column);
            }
        }
        CONTRADICTORY_CONDITION => finding.message = judge.impossible_in_loops(subject),
        _ => {}
    }
    finding
}
