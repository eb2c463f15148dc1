//! `cargo xtask oracle random`: random programs with what csmith does not generate: pointers into records and arrays,
//! allocated memory, callbacks, unions, several units, names of the C library, sections, assembly, variadic functions,
//! setjmp.
//!
//! The programs have no undefined behaviour by construction; `--sanitize` checks it. Programs are judged in batches,
//! because starting processes and reading headers cost more than the programs themselves. A seed always gives the same
//! program in the same batch, however many programs are judged.

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
use super::Binaries;
use super::compare::{self, Tally};
use super::coverage::{self, Coverage};
use super::judged::{self, Judged};
use crate::corpus::recorder::{COVERAGE_COMPILER, COVERAGE_FLAGS};
use crate::csmith::Programs;
use crate::{process, workspace};

/// A run takes milliseconds. One that takes longer does not end, which is a bug of the generator.
const NATIVE_LIMIT: Duration = Duration::from_secs(20);

#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(super) programs: Programs,
    /// Use one mode for all programs [default: by the number of the batch]
    #[arg(long, value_name = "MODE", value_parser = MODES.map(|mode| mode.name))]
    pub(super) mode: Option<String>,
    /// Also run every program with clang's sanitizers
    #[arg(long)]
    pub(super) sanitize: bool,
}

/// The options of gainsay for a batch.
#[derive(Clone, Copy)]
struct Mode {
    name: &'static str,
    loops: &'static str,
    /// Whether units know about each other.
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

/// Judges all programs and prints the tally; an error if any edge is wrong.
pub(super) fn judge_all(options: &Options) -> Result<(), String> {
    let binaries = Binaries::build()?;
    let fixed = MODES.into_iter().find(|mode| options.mode.as_deref() == Some(mode.name));
    judged::all(&options.programs, "oracle-random", BATCH, |number, seeds, folder| {
        judge_batch(seeds, fixed.unwrap_or(mode_of(number)), options.sanitize, &binaries, folder)
    })
}

/// Failing programs stay in the folder.
fn judge_batch(
    seeds: &[u64],
    mode: Mode,
    sanitize: bool,
    binaries: &Binaries,
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
        let mut summary = workspace::call(&binaries.gainsay);
        summary.args(["summary", "--known"]).arg(&known);
        summary.args(mode.whole_program.then_some("--whole-program")).args(&units).arg("--");
        process::capture(&mut summary)?;
    }
    let mut tally = Tally::default();
    for unit in &units {
        let known = mode.linked.then_some(known.as_path());
        match super::edges(binaries, folder, unit, &[], known, mode.loops) {
            Ok(edges) => tally.add(compare::compare(unit, &edges, &executed)?),
            Err(reason) => return Ok(Judged::failed(seeds.len() as u64, reason)),
        }
    }
    let judged = Judged::compared(seeds.len() as u64, mode.name, tally);
    judged.keep_if_wrong(folder)?;
    Ok(judged)
}

/// Every run must end normally; otherwise the generated program has undefined behaviour or does not end.
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
    compile.args(["-O1", "-g", "-w", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]);
    compile.arg("-fsanitize-address-use-after-return=always");
    process::capture(compile.arg("-o").arg(&program).args(units))?;
    (0..RUNS).try_for_each(|run| run_once(&program, run, "ASAN_OPTIONS", OsStr::new("detect_leaks=0")))
}
