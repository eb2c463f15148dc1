//! `cargo xtask oracle random`: random programs of what csmith does not make, against gainsay's verdicts: pointers into
//! records and arrays, memory that is allocated, callbacks, unions, several units, names of the C library, sections,
//! assembly, variadic functions, setjmp.
//!
//! The programs have no undefined behaviour by construction; `--sanitize` shows it. Programs are judged in batches, as
//! starting processes and reading headers would cost more than the programs themselves. A seed is always the same
//! program in the same batch, however many are judged.

mod batch;
mod effect;
mod expr;
mod function;
mod generator;
mod model;
mod probe;
mod program;
mod rng;
mod special;
mod statement;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use self::batch::{ABRUPT_FROM, BATCH, RUNS};
use super::compare::{self, Tally};
use super::coverage::{self, Coverage};
use super::judged::{self, Judged};
use crate::corpus::recorder::{COVERAGE_COMPILER, COVERAGE_FLAGS};
use crate::options::Options;
use crate::{csmith, process, setup, workspace};

/// A run takes milliseconds; whatever takes longer does not end, which is an error of the generator.
const NATIVE_LIMIT: Duration = Duration::from_secs(20);

/// Which programs to judge and where failing ones go.
pub(super) struct Settings {
    first_seed: u64,
    count: u64,
    jobs: u64,
    keep: Option<PathBuf>,
    mode: Option<Mode>,
    /// Also run every program with clang's sanitizers.
    sanitize: bool,
}

impl Settings {
    /// The set that every test run uses.
    pub(super) fn fixed(count: u64) -> Settings {
        let jobs = csmith::default_jobs();
        Settings { first_seed: 0, count, jobs, keep: None, mode: None, sanitize: false }
    }
}

/// How gainsay is asked about a batch.
#[derive(Clone, Copy)]
struct Mode {
    name: &'static str,
    loops: &'static str,
    /// With what the units know of each other.
    linked: bool,
    whole_program: bool,
}

const MODES: [Mode; 7] = [
    Mode { name: "unit-off", loops: "off", linked: false, whole_program: false },
    Mode { name: "whole-off", loops: "off", linked: true, whole_program: true },
    Mode { name: "unit", loops: "auto", linked: false, whole_program: false },
    Mode { name: "linked", loops: "auto", linked: true, whole_program: false },
    Mode { name: "whole", loops: "auto", linked: true, whole_program: true },
    Mode { name: "linked-all", loops: "all", linked: true, whole_program: false },
    Mode { name: "whole-all", loops: "all", linked: true, whole_program: true },
];

/// Chosen by the number of the batch: `--loops=all` costs ten times as much as `auto`, and `auto` three times as much as
/// `off`.
fn mode_of(number: u64) -> Mode {
    MODES[match number % 20 {
        19 => 5 + (number / 20 % 2) as usize,
        n => [2, 1, 4, 0, 3, 1, 4, 1][(n % 8) as usize],
    }]
}

/// The command line: `[--count N] [--seed S] [--keep DIR] [--mode M] [--sanitize] [-j N]`.
pub(super) fn run(mut options: Options) -> Result<(), String> {
    let mode = match options.value("--mode")? {
        Some(wanted) => {
            let names = MODES.map(|mode| mode.name).join(" ");
            let found = MODES.iter().find(|mode| mode.name == wanted);
            Some(*found.ok_or_else(|| format!("no mode `{wanted}`; there are: {names}"))?)
        }
        None => None,
    };
    let settings = Settings {
        count: options.number("--count", 100)?,
        first_seed: options.number("--seed", 1)?,
        jobs: options.number("-j", csmith::default_jobs())?.max(1),
        keep: options.value("--keep")?.map(PathBuf::from),
        mode,
        sanitize: options.flag("--sanitize"),
    };
    options.end()?;
    setup::for_analyses(&workspace::root())?;
    judge_all(&settings)
}

/// Judges all programs of the settings and prints the tally; an error if any edge is wrong.
pub(super) fn judge_all(settings: &Settings) -> Result<(), String> {
    let gainsay = workspace::build_gainsay()?;
    let keep = csmith::folder(settings.keep.as_deref(), "oracle-random")?;
    let seeds = (settings.first_seed, settings.count);
    judged::all(seeds, BATCH, settings.jobs, &keep, |number, seeds, folder| {
        let mode = settings.mode.unwrap_or(mode_of(number));
        judge_batch(seeds, mode, settings.sanitize, &gainsay, folder)
    })
}

/// Programs that fail stay in the folder.
fn judge_batch(
    seeds: &[u64],
    mode: Mode,
    sanitize: bool,
    gainsay: &Path,
    folder: &Path,
) -> Result<Judged, String> {
    let error = |e: std::io::Error| format!("{}: {e}", folder.display());
    judged::make_empty(folder)?;
    let files = batch::files(seeds);
    for (name, text) in &files {
        fs::write(folder.join(name), text).map_err(error)?;
    }
    let units: Vec<PathBuf> = files[1..].iter().map(|(name, _)| folder.join(name)).collect();
    if sanitize {
        run_sanitized(&units, folder)?;
    }
    let program = folder.join("program");
    let mut compile = Command::new(COVERAGE_COMPILER);
    process::capture(compile.args(COVERAGE_FLAGS).arg("-o").arg(&program).args(&units))?;
    let mut executed = Vec::new();
    for (runs, abrupt) in [(0..ABRUPT_FROM, false), (ABRUPT_FROM..RUNS, true)] {
        let profiles: Vec<PathBuf> = runs.clone().map(|run| folder.join(format!("{run}.profraw"))).collect();
        for (run, profile) in runs.zip(&profiles) {
            run_once(&program, run, coverage::PROFILE, profile.as_os_str())?;
        }
        executed.push(Coverage { abrupt, ..coverage::read(&program, &profiles, folder)? });
    }
    let known = folder.join("known");
    if mode.linked {
        fs::create_dir_all(&known).map_err(error)?;
        let mut summary = workspace::call(gainsay);
        summary.args(["summary", "--known"]).arg(&known);
        summary.args(mode.whole_program.then_some("--whole-program")).args(&units).arg("--");
        process::capture(&mut summary)?;
    }
    let mut tally = Tally::default();
    for unit in &units {
        let known = mode.linked.then_some(known.as_path());
        match super::edges(gainsay, folder, unit, &[], known, mode.loops) {
            Ok(edges) => tally.add(compare::compare(unit, &edges, &executed)?),
            Err(reason) => return Ok(Judged::failed(seeds.len() as u64, reason)),
        }
    }
    let judged = Judged::compared(seeds.len() as u64, mode.name, tally);
    judged.keep_if_wrong(folder)?;
    Ok(judged)
}

/// Every run must end well: else the generator made undefined behaviour or an endless loop.
fn run_once(program: &Path, run: u64, variable: &str, value: &OsStr) -> Result<(), String> {
    let mut start = Command::new(program);
    start.arg(run.to_string()).env(variable, value);
    let end = process::run_measured(&mut start, Some(NATIVE_LIMIT))?;
    if end.code == Some(0) && end.stderr.is_empty() {
        return Ok(());
    }
    let message = end.stderr.lines().next().unwrap_or("no message").to_owned();
    let code = end.code.map_or("a signal or the time limit".to_owned(), |code| format!("code {code}"));
    Err(format!("{} {run} ended with {code}: {message}", program.display()))
}

fn run_sanitized(units: &[PathBuf], folder: &Path) -> Result<(), String> {
    let program = folder.join("sanitized");
    let mut compile = Command::new(COVERAGE_COMPILER);
    // The links of a section's objects lie beyond what C calls an array.
    compile.args(["-O1", "-g", "-w", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]);
    compile.arg("-fsanitize-address-use-after-return=always");
    process::capture(compile.arg("-o").arg(&program).args(units))?;
    (0..RUNS).try_for_each(|run| run_once(&program, run, "ASAN_OPTIONS", OsStr::new("detect_leaks=0")))
}
