//! `gainsay check`: every unit through the pipeline, findings out, and an account of what was covered.

use super::{FAILURE, fail, say, select, write_out};
use crate::args::{CheckArgs, Format};
use crate::supervise;
use crate::units::Unit;
use crate::work::Checked;
use crate::worker::Task;
use gainsay_analysis::pipeline::ANALYSES;
use gainsay_report::coverage::{Coverage, UnitReport};
use gainsay_report::finding::{self, Finding};
use gainsay_report::{json, text};
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
    let stop = match stop_on_signal() {
        Ok(stop) => stop,
        Err(problem) => return fail(&problem),
    };
    let units: Vec<&Unit> = selection.units.iter().flatten().collect();
    let answers = supervise::run::<Checked>(&units, Task::Check, &args.spread, &stop);

    let mut answers = units.iter().zip(answers);
    let mut reports = Vec::new();
    let mut findings = Vec::new();
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
                }
                Some((unit, Some(Err(reason)))) => reports.push(failed(&unit.file, reason)),
                _ => {}
            },
        }
    }
    finding::sort(&mut findings);
    let mut coverage = Coverage::of(&reports, stop.load(Ordering::Relaxed));
    coverage.entries_skipped = selection.skipped as u64;
    if let Err(error) = show(args, &findings, &coverage) {
        return fail(&format!("the result cannot be written: {error}"));
    }
    ExitCode::from(exit_code(selection.bad_input, args.strict_coverage, findings.len(), &coverage))
}

fn show(args: &CheckArgs, findings: &[Finding], coverage: &Coverage) -> std::io::Result<()> {
    let mut out = Vec::new();
    match args.format {
        Format::Text => text::write(findings, &mut out)?,
        Format::Json => json::write(env!("CARGO_PKG_VERSION"), findings, coverage, &mut out)?,
    }
    write_out(&out);
    if !args.spread.quiet {
        let mut summary = Vec::new();
        text::summary(coverage, findings.len(), ANALYSES, &mut summary)?;
        // Nobody may be there to read it.
        let _ = std::io::Write::write_all(&mut std::io::stderr().lock(), &summary);
    }
    Ok(())
}

fn exit_code(bad_input: bool, strict: bool, findings: usize, coverage: &Coverage) -> u8 {
    if coverage.partial {
        INTERRUPTED
    } else if bad_input || coverage.units != 0 && coverage.units_failed == coverage.units {
        FAILURE
    } else if findings != 0 {
        FOUND
    } else if strict && (coverage.given_up != 0 || coverage.units_failed != 0) {
        INCOMPLETE
    } else {
        0
    }
}

/// Set by the first Ctrl-C (or SIGTERM, SIGHUP); the second ends the process at once.
fn stop_on_signal() -> Result<Arc<AtomicBool>, String> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let handler = move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED.into());
        }
    };
    ctrlc::set_handler(handler).map_err(|error| format!("Ctrl-C cannot be handled: {error}"))?;
    Ok(stop)
}
