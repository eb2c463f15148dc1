//! Every step of the way of a function, one line each.

use crate::boundary::{self, Bodies, Fate};
use crate::evidence::Inquiry;
use crate::explain::{Core, Subject, explain, needed_definitions, rests_on_left};
use crate::guard::guard;
use crate::judge::Judge;
use crate::limits::{CONFIRMATION, QUESTION};
use crate::loops::{LoopBudget, Loops};
use crate::source::Source;
use crate::witness::Search;
use crate::{beliefs, confirm, edges, evidence, loops, noise, reach, witness};
use cranelift_entity::EntitySet;
use gainsay_ir::passes::{cut_loops, passify, prune};
use gainsay_ir::passive::Block;
use gainsay_ir::verify::verify;
use gainsay_ir::{gc, passive};
use gainsay_program::link::Hints;
use gainsay_report::finding::{Finding, Related};
use gainsay_report::loops::Asked;
use gainsay_report::noise::Noise;
use gainsay_solver::{Confirmation, Session};
use gainsay_vc::Options;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Names of the analyses that run.
pub fn analyses(loops: Loops, beliefs: bool, evidence: bool) -> Vec<&'static str> {
    let mut names = vec!["reach"];
    names.extend((loops != Loops::Off).then_some("horn"));
    names.extend(beliefs.then_some("beliefs"));
    names.extend(evidence.then_some("evidence"));
    names
}

/// Where the time goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    Passes,
    Witness,
    Solver,
    Explain,
    Confirm,
    Horn,
    Beliefs,
    Evidence,
}

impl Stage {
    pub fn name(self) -> &'static str {
        match self {
            Stage::Passes => "passes",
            Stage::Witness => "witness",
            Stage::Solver => "solver",
            Stage::Explain => "explain",
            Stage::Confirm => "confirm",
            Stage::Horn => "horn",
            Stage::Beliefs => "beliefs",
            Stage::Evidence => "evidence",
        }
    }
}

/// What an analysis works with.
pub struct Tools<'a> {
    pub first: &'a mut Session,
    /// Of another make.
    pub second: &'a mut Session,
    /// Give reasons for findings in macro definitions as well. Classes, rules and messages do not depend on it.
    pub explains_macros: bool,
    pub loops: Loops,
    /// How errors are judged by evidence, if they are.
    pub evidence: Option<Inquiry<'a>>,
    /// The functions of the unit, as they are analysed.
    pub bodies: &'a Bodies<'a>,
    /// What questions about loops may still cost; see [`loops::loop_budget`].
    pub loop_budget: &'a mut LoopBudget,
    /// What the program suggests, if beliefs are wanted.
    pub beliefs: Option<&'a Hints>,
    /// Is told when a stage begins.
    pub begin: &'a mut dyn FnMut(Stage),
}

/// What came of one function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    pub findings: Vec<Finding>,
    pub is_inconsistent: bool,
    /// Edges without an answer.
    pub undecided: u64,
    /// Questions of `beliefs` without an answer.
    pub beliefs_undecided: u64,
    /// Hidden findings whose reasons were not looked for; see [`Tools::explains_macros`].
    pub unexplained: u64,
    /// Boundary values that always fail, and of which it could not be shown that they occur.
    pub boundary_unconfirmed: u64,
    /// Other functions of the unit had a say: the function's own text does not decide alone.
    pub needs_unit: bool,
    /// What was asked about loops.
    pub loops: Asked,
    /// The function was too large for `evidence`.
    pub is_too_large: bool,
}

/// What is found in one prepared function, or why it was given up.
pub fn analyse(
    tools: &mut Tools,
    unit: &gc::Unit,
    f: gc::Function,
    source: &dyn Source,
) -> Result<Outcome, String> {
    (tools.begin)(Stage::Passes);
    let (pruned, function) = forms(unit, f)?;
    guard(|| find(tools, unit, &pruned, &function, source))
        .map_err(|panic| format!("internal error: {panic}"))?
}

/// Universal reachability: decide, then say why; and then the loops.
fn find(
    tools: &mut Tools,
    unit: &gc::Unit,
    f: &gc::Function,
    function: &passive::Function,
    source: &dyn Source,
) -> Result<Outcome, String> {
    (tools.begin)(Stage::Witness);
    let options = Options::default();
    let mut search = Search::new(unit, function, &options);
    search.cover();
    (tools.begin)(Stage::Solver);
    let decided = reach::ask(tools.first, unit, function, &mut search, QUESTION);
    let can_end = witness::can_end(function);
    let mut outcome = Outcome {
        undecided: decided.undecided.len() as u64,
        is_inconsistent: decided.never_ends || !decided.impossible.is_empty(),
        ..Outcome::default()
    };
    let judge = Judge { unit, function, source };
    let mut causes = BTreeMap::new();
    for (subject, class) in subjects(function, source, &decided, &can_end) {
        if let Some(class) = class {
            let finding = judge.unexplained(subject, class);
            let reasons = reasons_in_macro(tools, &judge, subject, class, &mut outcome)?;
            outcome.findings.extend(finding.map(|finding| Finding { related: reasons, ..finding }));
            continue;
        }
        (tools.begin)(Stage::Explain);
        // What is hard for one solver is often easy for the other.
        let core = explain(tools.first, unit, function, subject, QUESTION)
            .or_else(|| explain(tools.second, unit, function, subject, QUESTION));
        let Some(mut core) = core else {
            outcome.undecided += 1;
            continue;
        };
        if judge.rule(subject, &core).is_none()
            || !is_boundary_met(tools, unit, (f, function), subject, &mut outcome)
        {
            continue;
        }
        let class = noise::once_explained(function, source, subject, &can_end);
        let class = class.or_else(|| noise::by_reason(function, source, subject, &core));
        let class = class.or_else(|| {
            let is_prudence = noise::may_be_prudence(function, subject, &core)
                && rests_on_left(tools.first, unit, function, subject, &core, QUESTION);
            is_prudence.then_some(Noise::Defensive)
        });
        core.definitions = needed_definitions(tools.first, unit, function, subject, &core, QUESTION);
        let class = class.or_else(|| noise::by_definitions(function, source, subject, &core));
        // One cause, one finding: the first.
        let cause = if class.is_none() { judge.cause(subject, &core) } else { None };
        let first = cause.as_ref().and_then(|cause| causes.get(cause)).copied();
        let class = if first.is_some() { Some(Noise::Dominated) } else { class };
        if let Some(first) = first.and_then(|first: usize| outcome.findings.get_mut(first)) {
            first.related.extend(judge.likewise(subject));
        }
        if !is_confirmed(tools, &judge, subject, &core)? {
            outcome.undecided += 1;
            continue;
        }
        if let Some(finding) = judge.finding(subject, &core, class) {
            causes.extend(cause.filter(|_| first.is_none()).map(|cause| (cause, outcome.findings.len())));
            outcome.findings.push(finding);
        }
    }
    loops::find(tools, f, &judge, &decided, &mut outcome);
    beliefs::find(tools, &judge, &mut outcome);
    evidence::find(tools, f, &judge, &mut outcome);
    Ok(outcome)
}

/// The second solver's opinion; an error if it disagrees.
fn is_confirmed(tools: &mut Tools, judge: &Judge, subject: Subject, core: &Core) -> Result<bool, String> {
    (tools.begin)(Stage::Confirm);
    match confirm::confirm(tools.second, judge.unit, judge.function, subject, core, CONFIRMATION) {
        Confirmation::Confirmed => Ok(true),
        Confirmation::Unknown(_) => Ok(false),
        Confirmation::Refuted => {
            let place = tools.second.transcript().map(|path| format!(": {}", path.display()));
            let hint = place.unwrap_or_else(|| "; --transcript DIR shows the question".into());
            Err(format!("internal error: the solvers disagree{hint}"))
        }
    }
}

/// Notes for a finding that was hidden at first sight. Only those in macro definitions need a solver: most findings in
/// many programs, and hardly ever shown. What the finding says, and that it counts, does not depend on the answer.
fn reasons_in_macro(
    tools: &mut Tools,
    judge: &Judge,
    subject: Subject,
    class: Noise,
    outcome: &mut Outcome,
) -> Result<Vec<Related>, String> {
    if class != Noise::Macro {
        return Ok(Vec::new());
    }
    if !tools.explains_macros {
        outcome.unexplained += 1;
        return Ok(Vec::new());
    }
    (tools.begin)(Stage::Explain);
    let Some(core) = explain(tools.first, judge.unit, judge.function, subject, QUESTION) else {
        return Ok(Vec::new());
    };
    let is_confirmed = is_confirmed(tools, judge, subject, &core)?;
    Ok(if is_confirmed { judge.reasons(subject, &core) } else { Vec::new() })
}

/// A boundary value must occur, and be a boundary of what fails; other subjects need not.
fn is_boundary_met(
    tools: &mut Tools,
    unit: &gc::Unit,
    forms: (&gc::Function, &passive::Function),
    subject: Subject,
    outcome: &mut Outcome,
) -> bool {
    let Subject::Boundary(edge, of_edge) = subject else { return true };
    (tools.begin)(Stage::Confirm);
    let verdict = boundary::confirm(tools.first, unit, forms, tools.bodies, (edge, of_edge), QUESTION);
    outcome.needs_unit |= verdict.needs_unit;
    outcome.boundary_unconfirmed += u64::from(verdict.fate == Fate::Unconfirmed);
    verdict.fate == Fate::Confirmed
}

/// What there is to explain, with the class of noise where it is plain to see.
fn subjects(
    function: &passive::Function,
    source: &dyn Source,
    decided: &reach::Edges,
    can_end: &EntitySet<Block>,
) -> Vec<(Subject, Option<Noise>)> {
    let entry = reach::entry(function);
    if decided.never_ends {
        // Only the reason tells what to report.
        return vec![(Subject::Entry(entry), None)];
    }
    let dominators = edges::dominators(function);
    let mut subjects = Vec::new();
    for &edge in &decided.impossible {
        let is_dominated = edges::above(&dominators, edge).any(|block| decided.impossible.contains(&block));
        let class = if is_dominated {
            Some(Noise::Dominated)
        } else {
            noise::at_first_sight(function, source, edge, can_end)
        };
        subjects.push((Subject::Edge(edge), class));
    }
    if decided.impossible_boundaries.is_empty() {
        return subjects;
    }
    let boundaries = edges::boundaries(function);
    for &edge in &decided.impossible_boundaries {
        // Only the reason tells whether there is anything to report.
        if let Some(boundary) = boundaries[edge] {
            subjects.push((Subject::Boundary(edge, boundary), None));
        }
    }
    subjects
}

/// The function as most analyses read it: acyclic, each variable assigned once.
pub fn passive_form(unit: &gc::Unit, f: &gc::Function) -> Result<passive::Function, String> {
    forms(unit, f.clone()).map(|(_, passive)| passive)
}

/// The function with its loops and its passive form.
fn forms(unit: &gc::Unit, f: gc::Function) -> Result<(gc::Function, passive::Function), String> {
    guard(|| {
        checked(unit, &f, "lowering")?;
        let pruned = prune(f);
        checked(unit, &pruned, "prune")?;
        let acyclic = cut_loops(unit, &pruned);
        checked(unit, &acyclic, "cut_loops")?;
        let passive = passify(unit, &acyclic);
        checked_passive(&passive)?;
        drop(acyclic);
        Ok((pruned, passive))
    })
    .map_err(|panic| format!("internal error: {panic}"))?
}

/// In debug builds, is the function still well formed?
fn checked(unit: &gc::Unit, f: &gc::Function, after: &str) -> Result<(), String> {
    if !cfg!(debug_assertions) {
        return Ok(());
    }
    verify(unit, f).map_err(|errors| format!("internal error: malformed after {after}: {}", errors[0]))
}

fn checked_passive(f: &passive::Function) -> Result<(), String> {
    if !cfg!(debug_assertions) {
        return Ok(());
    }
    passive::verify(f).map_err(|error| format!("internal error: malformed after passify: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gainsay_ir::gc::{Next, Unit};
    use gainsay_ir::parse;

    fn unit() -> Unit {
        let text = "target ptr64 little\nfunction @f(i32) -> i32 external\n\nfunc @f(x: i32) -> i32 {\n\
                    b0:\n  goto b1\nb1:\n  x = x + 1i32 !0\n  goto b1, b2\nb2:\n  return x\nb3:\n  return x\n}\n";
        parse::unit(text).unwrap()
    }

    #[test]
    fn loops_and_dead_blocks_are_gone_at_the_end() {
        let unit = unit();
        let form = passive_form(&unit, &unit.functions[0]).unwrap();
        assert_eq!(passive::verify(&form), Ok(()));
    }

    #[cfg(debug_assertions)]
    #[test]
    fn a_malformed_function_is_given_up() {
        let unit = unit();
        let mut f = unit.functions[0].clone();
        f.blocks.values_mut().for_each(|block| block.next = Next::Return(None));
        let reason = passive_form(&unit, &f).unwrap_err();
        assert!(reason.starts_with("internal error: malformed after lowering: "), "{reason}");
    }
}
