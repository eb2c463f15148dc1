//! The merge phase: the results of the units, in their order, become findings and coverage. A finding or function of a
//! header that many units include counts once.

use crate::check_options::CheckOptions;
use crate::phases::Run;
use crate::select::{Selection, Unit, Unusable};
use crate::unit::analyse::AnalysedUnit;
use crate::unit::clock::Timing;
use crate::unit::read::ReadUnit;
use gainsay_program::link::Interface;
use gainsay_report::coverage::{Coverage, SolverUse, UnitReport};
use gainsay_report::finding::{self, Finding};
use gainsay_report::fingerprint;
use gainsay_report::verdict::UnitVerdict;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

/// The result of `gainsay check`.
#[derive(Default)]
pub struct Merged {
    /// The findings that are shown, in their final order.
    pub findings: Vec<Finding>,
    pub coverage: Coverage,
    /// Annotations that are not understood: `file:line:column: reason`.
    pub problems: BTreeSet<String>,
    /// Where the time went, if measured.
    pub timings: Vec<Timing>,
    /// Where the cache was wrong, if checked.
    pub differences: Vec<String>,
    /// How many functions the units have, and how many of them were analysed because the cache had no result.
    pub functions: u64,
    pub reanalysed: u64,
}

pub(crate) fn merge(
    run: &Run,
    read: Vec<Option<Result<ReadUnit, String>>>,
    analysed: Vec<Option<Result<AnalysedUnit, String>>>,
) -> Merged {
    let results = read.into_iter().zip(analysed).map(|(read, analysed)| of_both_phases(read?, analysed));
    let (mut merged, mut reports, mut solvers) = (Merged::default(), Vec::new(), Vec::new());
    for (unit, result) in with_unusable(run.selection, results) {
        match result {
            Some(Ok(result)) => {
                reports.push(result.report);
                solvers.extend(result.solvers);
                merged.findings.extend(result.findings);
                merged.problems.extend(result.problems);
                merged.timings.extend(result.timings);
                merged.differences.extend(result.differences);
                merged.functions += result.functions;
                merged.reanalysed += result.reanalysed;
            }
            Some(Err(reason)) => {
                reports.push(UnitReport { file: unit, failed: Some(reason), ..UnitReport::default() });
            }
            // Interrupted before its turn.
            None => {}
        }
    }
    finding::sort(&mut merged.findings);
    finding::once_per_producer(&mut merged.findings);
    finding::once_for_callers(&mut merged.findings);
    fingerprint::number_repeats(&mut merged.findings);
    merged.coverage = coverage(run, &reports, &solvers);
    hide_noise(&mut merged.findings, &run.worker.options, &mut merged.coverage);
    merged
}

/// The verdicts of all units, also of those that failed.
pub(crate) fn merge_verdicts(
    selection: &Selection,
    surveyed: Vec<Option<Result<Interface, String>>>,
    verified: Vec<Option<Result<UnitVerdict, String>>>,
) -> Vec<UnitVerdict> {
    let failed = |surveyed: Option<Result<Interface, String>>| surveyed?.err().map(Err);
    let results = surveyed.into_iter().zip(verified);
    let results = results.map(|(surveyed, verified)| verified.or(failed(surveyed)));
    let verdict = |(file, result): (String, Option<Result<UnitVerdict, String>>)| match result {
        Some(Ok(verdict)) => verdict,
        Some(Err(reason)) => UnitVerdict { file, failed: Some(reason), ..UnitVerdict::default() },
        None => UnitVerdict { file, failed: Some("interrupted".into()), ..UnitVerdict::default() },
    };
    with_unusable(selection, results).map(verdict).collect()
}

/// Every selected unit by its file name, with its result; units that could not be tried have failed.
fn with_unusable<T>(
    selection: &Selection,
    mut results: impl Iterator<Item = Option<Result<T, String>>>,
) -> impl Iterator<Item = (String, Option<Result<T, String>>)> {
    selection.units.iter().map(move |unit| match unit {
        Ok(Unit { file, .. }) => (file.clone(), results.next().flatten()),
        Err(Unusable { file, reason }) => (file.clone(), Some(Err(reason.clone()))),
    })
}

/// The result of reading and analysing a unit.
fn of_both_phases(
    read: Result<ReadUnit, String>,
    analysed: Option<Result<AnalysedUnit, String>>,
) -> Option<Result<AnalysedUnit, String>> {
    match (read, analysed) {
        (Err(reason), _) => Some(Err(reason)),
        (Ok(mut read), Some(Ok(mut analysed))) => {
            read.timings.append(&mut analysed.timings);
            read.differences.append(&mut analysed.differences);
            Some(Ok(AnalysedUnit { timings: read.timings, differences: read.differences, ..analysed }))
        }
        (Ok(_), analysed) => analysed,
    }
}

fn coverage(run: &Run, reports: &[UnitReport], solvers: &[SolverUse]) -> Coverage {
    let mut coverage = Coverage::of(reports, run.stop.load(Ordering::Relaxed));
    coverage.entries_skipped = run.selection.skipped as u64;
    coverage.failing_solvers =
        SolverUse::sum(solvers.iter()).into_iter().filter(|solver| solver.failed != 0).collect();
    coverage.solver_failures = coverage.failing_solvers.iter().map(|solver| solver.failed).sum();
    coverage
}

/// Removes and counts the findings that are noise and not asked for.
fn hide_noise(findings: &mut Vec<Finding>, options: &CheckOptions, coverage: &mut Coverage) {
    findings.retain(|finding| {
        let is_shown = options.shows(finding.class.as_deref());
        if let Some(class) = finding.class.as_ref().filter(|_| !is_shown) {
            *coverage.hidden.entry(class.clone()).or_default() += 1;
        }
        is_shown
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use gainsay_analysis::loops::Loops;
    use gainsay_report::finding::Severity;

    fn finding(class: Option<&str>) -> Finding {
        Finding {
            rule: "endless".into(),
            severity: Severity::Warning,
            class: class.map(str::to_owned),
            analyses: Vec::new(),
            function: "f".into(),
            file: "a.c".into(),
            line: 1,
            column: 1,
            end_line: 1,
            end_column: 2,
            message: "m".into(),
            related: Vec::new(),
            fingerprint: String::new(),
        }
    }

    #[test]
    fn noise_is_counted_instead_of_shown() {
        let all = [None, Some("macro"), Some("config"), Some("macro")].map(finding);
        for (show, visible, hidden) in [
            (&[][..], 1, &[("config", 1), ("macro", 2)][..]),
            (&["macro"], 3, &[("config", 1)]),
            (&["all"], 4, &[]),
        ] {
            let show: Vec<String> = show.iter().map(|&name: &&str| name.to_owned()).collect();
            let (mut findings, mut coverage) = (all.to_vec(), Coverage::default());
            let options = CheckOptions::new(&show, Loops::Auto, false, None, None, false).unwrap();
            hide_noise(&mut findings, &options, &mut coverage);
            let counted: Vec<(&str, u64)> =
                coverage.hidden.iter().map(|(class, n)| (class.as_str(), *n)).collect();
            assert_eq!((findings.len(), counted.as_slice()), (visible, hidden), "{show:?}");
        }
    }
}
