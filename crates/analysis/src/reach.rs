//! Universal reachability (universal-reachability, section 3): an edge that lies on no run that ends well is a
//! contradiction.
//!
//! [`edges`] decides which edges those are. [`find`] then takes each of them through the same steps: explain it by a
//! minimal core, classify it as noise or not, have the second solver confirm the core, and build the finding.

mod decide;
mod formula;
mod must_pass;
mod questions;
mod subjects;
#[cfg(test)]
mod tests;

pub use decide::{Edges, decide, decide_by_questions};
pub(crate) use formula::{assert_run, boundary_term, scaled, taken};
pub use questions::questions;

use crate::boundary::{self, Fate};
use crate::confirm::is_confirmed;
use crate::context::{Cx, Stage};
use crate::explain::{Subject, explain, minimal_core};
use crate::judge::{Cause, Judge};
use crate::limits::QUESTION;
use crate::noise;
use crate::witness::Search;
use gainsay_report::finding::{Finding, Related};
use gainsay_report::noise::Noise;
use gainsay_vc::Options;
use std::collections::BTreeMap;

/// Decides the edges of the function: witnesses first, then the solver.
pub(crate) fn edges(cx: &mut Cx) -> Edges {
    let judge = cx.judge;
    cx.begin(Stage::Witness);
    let options = Options::default();
    let mut search = Search::new(judge.unit, judge.function, &options);
    search.cover();
    cx.begin(Stage::Solver);
    let edges = decide::ask(cx.tools.first, judge.unit, judge.function, &mut search, QUESTION);
    cx.tally.undecided = edges.undecided.len() as u64;
    cx.tally.is_inconsistent = edges.never_ends || !edges.impossible.is_empty();
    edges
}

/// The findings about impossible edges and boundary values. An error means that the solvers disagree.
pub(crate) fn find(cx: &mut Cx) -> Result<Vec<Finding>, String> {
    let mut reported = Reported::default();
    for (subject, class) in subjects::subjects(cx.judge, &cx.edges) {
        match class {
            Some(class) => report_at_first_sight(cx, subject, class, &mut reported)?,
            None => report_explained(cx, subject, &mut reported)?,
        }
    }
    Ok(reported.findings)
}

/// The findings so far.
#[derive(Default)]
struct Reported {
    findings: Vec<Finding>,
    /// The first finding of each cause.
    first: BTreeMap<Cause, usize>,
}

impl Reported {
    /// Notes the subject at the finding that has the same cause already, if there is one.
    fn note_repetition(&mut self, judge: &Judge, subject: Subject, cause: Option<&Cause>) -> bool {
        let Some(&first) = cause.and_then(|cause| self.first.get(cause)) else { return false };
        self.findings[first].related.extend(judge.likewise(subject));
        true
    }
}

/// Reports a subject whose noise class needs no explanation.
fn report_at_first_sight(
    cx: &mut Cx,
    subject: Subject,
    class: Noise,
    reported: &mut Reported,
) -> Result<(), String> {
    let finding = cx.judge.unexplained(subject, class);
    let related = reasons_in_macro(cx, subject, class)?;
    reported.findings.extend(finding.map(|finding| Finding { related, ..finding }));
    Ok(())
}

/// Explains a subject and reports it, unless nothing is wrong with it or the second solver does not confirm it.
fn report_explained(cx: &mut Cx, subject: Subject, reported: &mut Reported) -> Result<(), String> {
    let judge = cx.judge;
    let Some(mut core) = explain(cx, subject) else {
        cx.tally.undecided += 1;
        return Ok(());
    };
    if judge.rule(subject, &core).is_none() || !is_boundary_met(cx, subject) {
        return Ok(());
    }
    let class = noise::classify(cx, subject, &mut core);
    let cause = if class.is_none() { judge.cause(subject, &core) } else { None };
    let is_repetition = reported.note_repetition(judge, subject, cause.as_ref());
    if !is_confirmed(cx, subject, &core)? {
        cx.tally.undecided += 1;
        return Ok(());
    }
    if is_repetition {
        reported.findings.extend(judge.finding(subject, &core, Some(Noise::Dominated)));
    } else if let Some(finding) = judge.finding(subject, &core, class) {
        reported.first.extend(cause.map(|cause| (cause, reported.findings.len())));
        reported.findings.push(finding);
    }
    Ok(())
}

/// Notes for a finding that is hidden at first sight. Only those in macro definitions need a solver, and in many
/// programs they are most of the findings and hardly ever shown. Neither the message nor the count depends on them
/// (docs/decisions/032-display-decides-nothing.md).
fn reasons_in_macro(cx: &mut Cx, subject: Subject, class: Noise) -> Result<Vec<Related>, String> {
    if class != Noise::Macro {
        return Ok(Vec::new());
    }
    if !cx.tools.explains_macros {
        cx.tally.unexplained += 1;
        return Ok(Vec::new());
    }
    cx.begin(Stage::Explain);
    let Some(core) = minimal_core(cx.tools.first, cx.judge, subject) else { return Ok(Vec::new()) };
    let is_confirmed = is_confirmed(cx, subject, &core)?;
    Ok(if is_confirmed { cx.judge.reasons(subject, &core) } else { Vec::new() })
}

/// A boundary value must occur, and be a boundary of what fails; other subjects need not.
fn is_boundary_met(cx: &mut Cx, subject: Subject) -> bool {
    let Subject::Boundary(edge, of_edge) = subject else { return true };
    cx.begin(Stage::Confirm);
    let verdict = boundary::confirm(cx, (edge, of_edge));
    cx.tally.needs_unit |= verdict.needs_unit;
    cx.tally.boundary_unconfirmed += u64::from(verdict.fate == Fate::Unconfirmed);
    verdict.fate == Fate::Confirmed
}
