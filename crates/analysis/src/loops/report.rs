//! From a proof with invariants to a finding (horn-clauses-with-loops, section 5, fault localisation).

use super::LoopResults;
use super::edges::{LoopEdge, is_of_loop};
use crate::context::Cx;
use crate::edges::above;
use crate::explain::{Core, Subject};
use crate::horn::{self, HornProblem, LoopInvariant, Needed, Proof, Role};
use crate::judge::{CONTRADICTORY_CONDITION, ENDLESS, FATAL_BRANCH, Judge};
use crate::limits::LOOP_REASONS;
use crate::noise;
use gainsay_ir::gc::{self, Loc, Origin};
use gainsay_ir::passive::{Block, CmdKind, Function};
use gainsay_report::finding::{Finding, Related};
use gainsay_report::noise::Noise;
use gainsay_vc::Statement;
use std::collections::BTreeMap;

/// A finding, with what identifies others of the same cause.
pub(super) struct ProvedEdge {
    edge: Block,
    cause: Option<Loc>,
    /// The block of the failing check.
    failing: Option<Block>,
    finding: Finding,
    /// The reasons include a check, before the edge, that an array element was written.
    pub(super) needs_element_before: bool,
}

/// Adds one finding per cause to the results, unless a finding of `reach` or of an earlier round has the cause:
/// the one closest to the failure. The others are added as dominated.
pub(super) fn one_for_each_cause(
    judge: &Judge,
    proved: Vec<ProvedEdge>,
    known: &mut [Finding],
    results: &mut LoopResults,
) {
    let mut causes = Vec::new();
    let closeness = |one: &ProvedEdge| {
        let leads = |failing: Block| {
            failing == one.edge || above(judge.dominators(), failing).any(|block| block == one.edge)
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
        if let Some(known) = known.iter_mut().find(is_known) {
            known.analyses.push("horn".into());
            known.analyses.dedup();
            one.finding.class = Some(Noise::Dominated.name().into());
        } else if !is_best || one.cause.is_some_and(|cause| results.causes.contains(&cause)) {
            one.finding.class.get_or_insert(Noise::Dominated.name().into());
        }
        causes.extend(one.cause.filter(|_| one.finding.class.is_none()));
        results.findings.push(one.finding);
    }
    results.causes.extend(causes);
}

pub(super) fn explained(
    cx: &mut Cx,
    judge: &Judge,
    problem: &mut HornProblem,
    (number, edge): (usize, LoopEdge),
    proof: &Proof,
) -> Option<ProvedEdge> {
    let subject = Subject::Edge(edge.passive);
    if let Some(class) = noise::at_first_sight(judge, edge.passive) {
        let mut finding = by_horn(judge.unexplained(subject, class)?);
        cx.tally.unexplained += u64::from(class == Noise::Macro && !cx.tools.explains_macros);
        if class == Noise::Macro
            && cx.tools.explains_macros
            && let Some(needed) = problem.reasons(cx.tools.first, judge.unit, number, proof, LOOP_REASONS)
        {
            finding.related = judge.reasons(subject, &core(judge.function, edge, &needed));
        }
        return Some(ProvedEdge {
            edge: edge.passive,
            cause: None,
            failing: None,
            finding,
            needs_element_before: false,
        });
    }
    let needed = problem.reasons(cx.tools.first, judge.unit, number, proof, LOOP_REASONS)?;
    let core = core(judge.function, edge, &needed);
    let class = noise::by_reason(judge, subject, &core);
    let class = class.or_else(|| {
        let is_defensive = noise::may_be_defensive(judge.function, subject, &core)
            && noise::reads_exit_state(judge, edge.passive);
        is_defensive.then_some(Noise::Defensive)
    });
    let class = class.or_else(|| noise::by_definitions(judge, subject, &core));
    // A loop that makes a test redundant is no contradiction if only this test is redundant.
    let is_idle = core.after.is_empty() && leads_where_others_lead(&problem.f, edge.gc);
    let class = class.filter(|class| is_idle || *class != Noise::Redundant);
    let class = class.or(is_idle.then_some(Noise::Redundant));
    // The false edge of the last `else if` in a cascade without `else`: the author relies on one of the
    // conditions being true.
    let is_last_resort = judge.function.blocks[edge.passive].branch.is_some_and(|branch| {
        (branch.origin, branch.outcome) == (Origin::ElseIf, gc::Outcome::False)
            && leads_where_others_lead(&problem.f, edge.gc)
    });
    let class = class.or(is_last_resort.then_some(Noise::Defensive));
    let leaves_loop = is_of_loop(judge.function, edge);
    let invariants = horn::invariants_in_c(problem, proof);
    let fails = |statement: &&Statement| is_failure(judge.function, **statement);
    let failing = core.after.iter().rev().find(fails).or_else(|| core.before.iter().rev().find(fails));
    let loc = |statement: &Statement| {
        let cmds = &judge.function.blocks[statement.block].cmds;
        cmds.get(statement.index as usize).or(cmds.last()).map(|cmd| cmd.loc)
    };
    let own = judge.function.blocks[edge.passive].cmds.first().map(|cmd| cmd.loc);
    let place = invariants.iter().find_map(|invariant| invariant.loc).or(own);
    let failed = failing.and_then(loc);
    let cause = if core.needs_end { place } else { failed.or(place.filter(|_| leaves_loop)) };
    let finding = judge.finding(subject, &core, class)?;
    let finding = by_horn(with_invariants(judge, subject, finding, &invariants));
    let failing = failing.map(|statement| statement.block);
    let needs_element_before = core.before.iter().any(|&statement| judge.is_about_element(statement));
    Some(ProvedEdge { edge: edge.passive, cause, failing, finding, needs_element_before })
}

/// Whether the edge leads, without further commands, to a block that other edges lead to as well.
fn leads_where_others_lead(f: &gc::Function, edge: gc::Block) -> bool {
    let mut block = edge;
    let mut may_hold = 1;
    loop {
        let data = &f.blocks[block];
        let [target] = data.next.targets() else { return false };
        if data.cmds.len() > may_hold {
            return false;
        }
        if f.blocks.values().filter(|data| data.next.targets().contains(target)).count() > 1 {
            return true;
        }
        (block, may_hold) = (*target, 0);
    }
}

fn by_horn(finding: Finding) -> Finding {
    Finding { analyses: vec!["horn".into()], ..finding }
}

/// The statements of the proof in the passive form.
fn core(function: &Function, edge: LoopEdge, needed: &[Needed]) -> Core {
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
        _ => {
            let alike =
                data.cmds.iter().enumerate().filter(|(_, cmd)| cmd.loc == needed.loc && is_it(&cmd.kind));
            alike.map(|(index, _)| index).nth(needed.nth)?
        }
    };
    Some(Statement { block, index: index as u32 })
}

/// Adds the invariants, which are the reason that a reader needs.
fn with_invariants(
    judge: &Judge,
    subject: Subject,
    mut finding: Finding,
    invariants: &[LoopInvariant],
) -> Finding {
    for invariant in invariants {
        let Some(spot) = invariant.loc.and_then(|loc| judge.source.spot(loc)) else { continue };
        let when = if invariant.passed { "from then on, whenever" } else { "whenever" };
        let message = format!("{when} this loop begins anew, `{}` holds", invariant.conjunction());
        finding.related.push(Related { file: spot.file, line: spot.line, column: spot.column, message });
    }
    finding.related.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
    match finding.rule.as_str() {
        FATAL_BRANCH => finding.message.push_str(", sooner or later"),
        ENDLESS => {
            let short = finding.message.split(": nothing in the loop").next().map(str::to_owned);
            finding.message = short.unwrap_or(finding.message);
            // The loop is the code to change, so the finding is placed there.
            let head = invariants
                .iter()
                .find(|invariant| invariant.passed)
                .and_then(|invariant| judge.source.spot(invariant.loc?));
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
