//! `gainsay check`: parses options, runs the phases, renders their result and chooses the exit code.

use crate::args::CheckArgs;
use crate::console::{FAILURE, fail, say, select};
use crate::output::{self, Output};
use gainsay_analysis::pipeline::analyses;
use gainsay_driver::cache::directory::{self, Opened};
use gainsay_driver::check_options::CheckOptions;
use gainsay_driver::link::Linked;
use gainsay_driver::merge::Merged;
use gainsay_driver::phases::{self, Run};
use gainsay_driver::precondition_patch;
use gainsay_driver::select::Selection;
use gainsay_driver::unit::clock::Timing;
use gainsay_driver::worker::WorkerOptions;
use gainsay_report::coverage::{Coverage, SolverUse};
use gainsay_report::summary;
use gainsay_solver::programs::SolverDirectories;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

// not a limit: exit codes
const FOUND: u8 = 1;
const INCOMPLETE: u8 = 3;
const INTERRUPTED: u8 = 130;

pub(crate) fn run(args: &CheckArgs) -> ExitCode {
    match check(args) {
        Ok(code) => ExitCode::from(code),
        Err(problem) => fail(&problem),
    }
}

fn check(args: &CheckArgs) -> Result<u8, String> {
    let selection = select(&args.input)?;
    selection.notes.iter().for_each(|note| say(note));
    let Setup { options, output, cache, stop } = Setup::new(args)?;
    let has_cache = cache.store.lasts;
    let worker = WorkerOptions { options, store: cache.store.clone(), check_cache: args.cache.check_cache };
    let (merged, linked) = phases::check(&Run {
        selection: &selection,
        extent: selection.extent(args.input.whole_program),
        worker: &worker,
        pool: &(&args.pool).into(),
        stop: &stop,
    });
    cache.close();
    say_notes(args, &merged, &linked);
    output.write(&render(args, &output, &merged, &linked)?)?;
    write_timings(args.timings.as_deref(), &merged.timings)?;
    say_summary(args, &worker.options, &merged, has_cache);
    Ok(exit_code(args, &selection, &merged))
}

/// What is opened before the first unit is read, so that a run does not fail at its end.
struct Setup<'a> {
    options: CheckOptions,
    output: Output<'a>,
    cache: Opened,
    stop: Arc<AtomicBool>,
}

impl Setup<'_> {
    fn new(args: &CheckArgs) -> Result<Setup<'_>, String> {
        SolverDirectories::of_this_process().map_err(|problem| problem.to_string())?;
        let options = CheckOptions::new(
            &args.show,
            args.loops.into(),
            args.beliefs,
            args.evidence.as_deref().or(args.emit_preconditions.then_some("default")),
            args.transcript.as_deref(),
            args.timings.is_some(),
        )?;
        if let Some(directory) = &options.transcript {
            std::fs::create_dir_all(directory)
                .map_err(|error| format!("{}: cannot be created: {error}", directory.display()))?;
        }
        let output = Output::open(args.output.as_deref())?;
        let (cache, note) = directory::open(&(&args.cache).into())?;
        note.iter().for_each(|note| say(note));
        let private = (!cache.store.lasts).then(|| cache.store.directory.clone());
        Ok(Setup { options, output, cache, stop: stop_on_signal(private)? })
    }
}

/// Set by the first Ctrl-C (or SIGTERM, SIGHUP). The second removes the private directory and ends the process.
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

fn say_notes(args: &CheckArgs, merged: &Merged, linked: &Linked) {
    if args.input.whole_program && !linked.is_whole() {
        say("--whole-program has no effect: part of the program could not be read, or is assembly");
    }
    for problem in &merged.problems {
        say(&format!("{problem} (annotation ignored)"));
    }
}

fn render(args: &CheckArgs, output: &Output, merged: &Merged, linked: &Linked) -> Result<Vec<u8>, String> {
    let Merged { findings, coverage, .. } = merged;
    if args.emit_preconditions {
        return Ok(output.patch(&precondition_patch(&linked.required_clauses(), findings)));
    }
    output::render(args.format, args.color, output, findings, coverage)
}

fn write_timings(file: Option<&Path>, timings: &[Timing]) -> Result<(), String> {
    let Some(file) = file else { return Ok(()) };
    let lines: Result<String, _> =
        timings.iter().map(|timing| Ok(serde_json::to_string(timing)? + "\n")).collect();
    lines
        .map_err(|error: serde_json::Error| error.to_string())
        .and_then(|text| std::fs::write(file, text).map_err(|error| error.to_string()))
        .map_err(|error| format!("{}: cannot be written: {error}", file.display()))
}

/// The summary; with `--quiet`, only solvers that never answered. Then errors of the cache.
fn say_summary(args: &CheckArgs, options: &CheckOptions, merged: &Merged, has_cache: bool) {
    let Merged { findings, coverage, functions, reanalysed, differences, .. } = merged;
    if args.pool.quiet {
        let useless = coverage.failing_solvers.iter().filter(|solver| solver.is_useless());
        useless.for_each(|solver| say(&solver.to_string()));
    } else {
        let analyses = analyses(options.loops, options.beliefs, options.evidence.is_some());
        let mut text = Vec::new();
        // Writing to memory does not fail, and a closed standard error is no failure.
        let _ = summary::write(coverage, findings.len(), &analyses, &mut text);
        let _ = std::io::Write::write_all(&mut std::io::stderr().lock(), &text);
        if has_cache {
            say(&format!("cache: {reanalysed} of {functions} functions re-analysed"));
        }
    }
    differences.iter().for_each(|difference| say(&format!("the cache is wrong: {difference}")));
}

fn exit_code(args: &CheckArgs, selection: &Selection, merged: &Merged) -> u8 {
    let Merged { findings, coverage, differences, .. } = merged;
    if !differences.is_empty() {
        FAILURE
    } else if coverage.partial {
        INTERRUPTED
    } else if selection.bad_input || is_worthless(coverage) {
        FAILURE
    } else if !findings.is_empty() && !args.exit_zero {
        FOUND
    } else if args.strict_coverage && coverage.is_incomplete() {
        INCOMPLETE
    } else {
        0
    }
}

/// Whether the absence of findings means nothing.
fn is_worthless(coverage: &Coverage) -> bool {
    coverage.is_void() || coverage.failing_solvers.iter().any(SolverUse::is_useless)
}
