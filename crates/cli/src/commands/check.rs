//! `gainsay check`: every unit through the pipeline, findings out, and an account of what was covered.

use crate::args::CheckArgs;
use crate::console::{FAILURE, fail, say, select};
use crate::output::{self, Output};
use gainsay_analysis::pipeline::analyses;
use gainsay_driver::cache::place;
use gainsay_driver::check_options::CheckOptions;
use gainsay_driver::clock::Timing;
use gainsay_driver::phases::{self, Required};
use gainsay_driver::units::Unit;
use gainsay_driver::worker::Order;
use gainsay_report::coverage::{Coverage, SolverUse, UnitReport};
use gainsay_report::finding::{self, Finding};
use gainsay_report::{acsl, fingerprint, summary};
use gainsay_solver::programs::SolverDirectories;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const FOUND: u8 = 1;
const INCOMPLETE: u8 = 3;
const INTERRUPTED: u8 = 130;

pub(crate) fn run(args: &CheckArgs) -> ExitCode {
    let selection = match select(&args.input) {
        Ok(selection) => selection,
        Err(problem) => return fail(&problem),
    };
    selection.notes.iter().for_each(|note| say(note));
    if let Err(problem) = SolverDirectories::of_this_process() {
        return fail(&problem.to_string());
    }
    let options = match CheckOptions::new(
        &args.show,
        args.loops.into(),
        args.beliefs,
        args.evidence.as_deref().or(args.emit_preconditions.then_some("default")),
        args.transcript.as_deref(),
        args.timings.is_some(),
    ) {
        Ok(options) => options,
        Err(problem) => return fail(&problem),
    };
    if let Some(directory) = &options.transcript
        && let Err(error) = std::fs::create_dir_all(directory)
    {
        return fail(&format!("{}: cannot be created: {error}", directory.display()));
    }
    let output = match Output::open(args.output.as_deref()) {
        Ok(output) => output,
        Err(problem) => return fail(&problem),
    };
    let (opened, note) = match place::open(&(&args.cache).into()) {
        Ok(opened) => opened,
        Err(problem) => return fail(&problem),
    };
    note.iter().for_each(|note| say(note));
    let private = (!opened.store.lasts).then(|| opened.store.directory.clone());
    let stop = match stop_on_signal(private) {
        Ok(stop) => stop,
        Err(problem) => return fail(&problem),
    };
    let units: Vec<&Unit> = selection.units.iter().flatten().collect();
    let order = Order { options, store: opened.store.clone(), check_cache: args.cache.check_cache };
    let extent = selection.extent(args.input.whole_program);
    let (answers, linked) = phases::run(&units, &order, &(&args.spread).into(), extent, &stop);
    let has_cache = opened.store.lasts;
    opened.close();
    if args.input.whole_program && !linked.is_whole() {
        say("--whole-program has no effect: some of the program could not be read, or is assembly");
    }

    let mut answers = units.iter().zip(answers);
    let mut reports = Vec::new();
    let mut findings = Vec::new();
    let mut timings = Vec::new();
    let mut problems: BTreeSet<String> = BTreeSet::new();
    let mut differences = Vec::new();
    let mut solvers = Vec::new();
    let (mut functions, mut anew) = (0, 0);
    for entry in &selection.units {
        let failed = |file: &str, reason: String| UnitReport {
            file: file.to_owned(),
            failed: Some(reason),
            ..UnitReport::default()
        };
        match entry {
            Err(unusable) => reports.push(failed(&unusable.file, unusable.reason.clone())),
            Ok(_) => match answers.next() {
                Some((_, Some(Ok(checked)))) => {
                    reports.push(checked.report);
                    findings.extend(checked.findings);
                    timings.extend(checked.timings);
                    problems.extend(checked.problems);
                    differences.extend(checked.differences);
                    solvers.extend(checked.solvers);
                    functions += checked.functions;
                    anew += checked.anew;
                }
                Some((unit, Some(Err(reason)))) => reports.push(failed(&unit.file, reason)),
                _ => {}
            },
        }
    }
    for problem in &problems {
        say(&format!("{problem} (the annotation is not used)"));
    }
    finding::sort(&mut findings);
    finding::once_per_giver(&mut findings);
    finding::once_for_callers(&mut findings);
    fingerprint::number_repeats(&mut findings);
    let mut coverage = Coverage::of(&reports, stop.load(Ordering::Relaxed));
    coverage.entries_skipped = selection.skipped as u64;
    coverage.failing_solvers =
        SolverUse::sum(solvers.iter()).into_iter().filter(|use_| use_.failed != 0).collect();
    coverage.solver_failures = coverage.failing_solvers.iter().map(|solver| solver.failed).sum();
    hide(&mut findings, &order.options, &mut coverage);
    let written = if args.emit_preconditions {
        output.write_patch(&clauses(&linked.required(), &findings))
    } else {
        let rendered = output::render(args.format, args.color, &output, &findings, &coverage);
        rendered.and_then(|result| output.write(&result))
    };
    if let Err(problem) = written {
        return fail(&problem);
    }
    if let Some(file) = &args.timings
        && let Err(error) = write_timings(file, &timings)
    {
        return fail(&format!("{}: cannot be written: {error}", file.display()));
    }
    if !args.spread.quiet {
        say_summary(&coverage, findings.len(), &order.options);
        if has_cache {
            say(&format!("cache: {anew} of {functions} functions analysed anew"));
        }
    }
    if args.spread.quiet {
        let useless = coverage.failing_solvers.iter().filter(|solver| solver.is_useless());
        useless.for_each(|solver| say(&solver.to_string()));
    }
    if !differences.is_empty() {
        differences.iter().for_each(|difference| say(&format!("the cache is wrong: {difference}")));
        return ExitCode::from(FAILURE);
    }
    let found = if args.exit_zero { 0 } else { findings.len() };
    ExitCode::from(exit_code(selection.bad_input, args.strict_coverage, found, &coverage))
}

/// What functions expect of their callers, as a patch. Whoever is to blame for an error does not expect its absence.
fn clauses(required: &[Required], findings: &[Finding]) -> String {
    let is_blamed = |one: &&Required| {
        let at = |file: &str, line: u32, column: u32| {
            one.chain
                .iter()
                .any(|place| (place.file.as_str(), place.line, place.column) == (file, line, column))
        };
        findings.iter().any(|finding| at(&finding.file, finding.line, finding.column))
    };
    let annotations = phases::annotations(required.iter().filter(|one| !is_blamed(one)));
    acsl::patch(&annotations, &|file| std::fs::read_to_string(file).ok())
}

fn write_timings(file: &Path, timings: &[Timing]) -> std::io::Result<()> {
    let mut text = String::new();
    for timing in timings {
        text.push_str(&serde_json::to_string(timing)?);
        text.push('\n');
    }
    std::fs::write(file, text)
}

/// Removes and counts the findings that are noise and not asked for.
fn hide(findings: &mut Vec<Finding>, options: &CheckOptions, coverage: &mut Coverage) {
    findings.retain(|finding| {
        let shown = options.shows(finding.class.as_deref());
        if let Some(class) = finding.class.as_ref().filter(|_| !shown) {
            *coverage.hidden.entry(class.clone()).or_default() += 1;
        }
        shown
    });
}

fn say_summary(coverage: &Coverage, findings: usize, options: &CheckOptions) {
    let analyses = analyses(options.loops, options.beliefs, options.evidence.is_some());
    let mut text = Vec::new();
    // Writing to memory does not fail, and nobody may be there to read it.
    let _ = summary::write(coverage, findings, &analyses, &mut text);
    let _ = std::io::Write::write_all(&mut std::io::stderr().lock(), &text);
}

fn exit_code(bad_input: bool, strict: bool, findings: usize, coverage: &Coverage) -> u8 {
    if coverage.partial {
        INTERRUPTED
    } else if bad_input || coverage.is_void() || coverage.failing_solvers.iter().any(SolverUse::is_useless) {
        FAILURE
    } else if findings != 0 {
        FOUND
    } else if strict && coverage.is_incomplete() {
        INCOMPLETE
    } else {
        0
    }
}

/// Set by the first Ctrl-C (or SIGTERM, SIGHUP); the second ends the process at once, but for the private directory.
fn stop_on_signal(private: Option<PathBuf>) -> Result<Arc<AtomicBool>, String> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let handler = move || {
        if flag.swap(true, Ordering::Relaxed) {
            private.iter().for_each(|private| {
                let _ = std::fs::remove_dir_all(private);
            });
            std::process::exit(INTERRUPTED.into());
        }
    };
    ctrlc::set_handler(handler).map_err(|error| format!("Ctrl-C cannot be handled: {error}"))?;
    Ok(stop)
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
            hide(
                &mut findings,
                &CheckOptions::new(&show, Loops::Auto, false, None, None, false).unwrap(),
                &mut coverage,
            );
            let counted: Vec<(&str, u64)> =
                coverage.hidden.iter().map(|(class, n)| (class.as_str(), *n)).collect();
            assert_eq!((findings.len(), counted.as_slice()), (visible, hidden), "{show:?}");
        }
    }
}
