//! `cargo xtask oracle csmith`: random programs, which have no undefined behaviour, against gainsay's verdicts.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::compare::{self, Tally};
use super::coverage;
use crate::corpus::recorder::{COVERAGE_COMPILER, COVERAGE_FLAGS};
use crate::csmith::{self, HEADERS};
use crate::options::Options;
use crate::{process, setup, workspace};

/// A program that ends at all ends soon; others only cost time.
const NATIVE_LIMIT: Duration = Duration::from_secs(1);

/// Which programs to judge and where failing ones go.
pub(super) struct Settings {
    first_seed: u64,
    count: u64,
    jobs: u64,
    keep: Option<PathBuf>,
}

impl Settings {
    /// The set that every test run uses.
    pub(super) fn fixed(count: u64) -> Settings {
        Settings { first_seed: 1, count, jobs: csmith::default_jobs(), keep: None }
    }
}

/// The command line: `[--count N] [--seed S] [--keep DIR] [-j N]`.
pub(super) fn run(mut options: Options) -> Result<(), String> {
    let settings = Settings {
        count: options.number("--count", 100)?,
        first_seed: options.number("--seed", 1)?,
        jobs: options.number("-j", csmith::default_jobs())?.max(1),
        keep: options.value("--keep")?.map(PathBuf::from),
    };
    options.end()?;
    setup::for_analyses(&workspace::root())?;
    judge_all(&settings)
}

/// What became of one program.
enum Verdict {
    Compared(Tally),
    /// It did not end, or not with 0: its counters say nothing.
    NotUsable,
    /// gainsay has no verdicts.
    Failed(String),
}

/// Judges all programs of the settings and prints the tally; an error if any edge is wrong.
pub(super) fn judge_all(settings: &Settings) -> Result<(), String> {
    let gainsay = workspace::build_gainsay()?;
    let keep = csmith::folder(settings.keep.as_deref(), "oracle-csmith")?;
    let one = |seed| judge_one(seed, &gainsay, &keep);
    let verdicts = csmith::each_seed(settings.first_seed, settings.count, settings.jobs, one)?;
    print_tally(verdicts, &keep)
}

fn judge_one(seed: u64, gainsay: &Path, keep: &Path) -> Result<Verdict, String> {
    let source = csmith::generate(seed, keep)?;
    let scratch = keep.join(format!("seed-{seed}"));
    fs::create_dir_all(&scratch).map_err(|e| format!("cannot create {}: {e}", scratch.display()))?;
    let program = scratch.join("program");
    let profile = scratch.join("profile.profraw");
    let mut compile = Command::new(COVERAGE_COMPILER);
    process::capture(compile.args(COVERAGE_FLAGS).arg(HEADERS).arg("-o").arg(&program).arg(&source))?;
    let mut start = Command::new(&program);
    let native = process::run_measured(start.env(coverage::PROFILE, &profile), Some(NATIVE_LIMIT))?;
    let verdict = if native.code == Some(0) && profile.is_file() {
        match super::edges(gainsay, keep, &source, &[HEADERS.to_owned()], None, "auto") {
            Ok(edges) => {
                let executed = coverage::read(&program, &[profile], &scratch)?;
                Verdict::Compared(compare::compare(&source, &edges, &[executed])?)
            }
            Err(reason) => Verdict::Failed(reason),
        }
    } else {
        Verdict::NotUsable
    };
    let keeps = match &verdict {
        Verdict::Compared(tally) => !tally.violations.is_empty(),
        Verdict::NotUsable => false,
        Verdict::Failed(_) => true,
    };
    let gone =
        fs::remove_dir_all(&scratch).and_then(|()| if keeps { Ok(()) } else { fs::remove_file(&source) });
    gone.map_err(|e| format!("cannot clean up {}: {e}", keep.display()))?;
    Ok(verdict)
}

fn print_tally(verdicts: BTreeMap<u64, Verdict>, keep: &Path) -> Result<(), String> {
    let programs = verdicts.len();
    let (mut total, mut not_usable, mut lines) = (Tally::default(), 0, 0);
    let mut wrong = Vec::new();
    for (seed, verdict) in verdicts {
        match verdict {
            Verdict::Compared(tally) => {
                wrong.extend(tally.violations.iter().map(|what| format!("seed {seed}: {what}")));
                lines += tally.lines.len();
                total.add(Tally { lines: Default::default(), ..tally });
            }
            Verdict::NotUsable => not_usable += 1,
            Verdict::Failed(reason) => wrong.push(format!("seed {seed}: {reason}")),
        }
    }
    for (what, number) in [
        ("programs", programs as u64),
        ("without a good end", not_usable),
        ("functions judged", total.functions),
        ("- executed", total.functions_executed),
        ("executed lines judged", lines as u64),
        ("edges judged", total.edges),
        ("edges executed", total.executed),
        ("edges impossible", total.impossible),
        ("- with a counter", total.matched),
        ("- constant for clang", total.constant),
        ("- with shared counters", total.shared),
        ("edges undecided", total.undecided),
        ("edges without counter", total.unmatched),
        ("violations", wrong.len() as u64),
    ] {
        println!("{what:<22} {number:>9}");
    }
    wrong.iter().for_each(|what| println!("  {what}"));
    match wrong.len() {
        0 => Ok(()),
        n => Err(format!("{n} violation(s); the programs are kept in {}", keep.display())),
    }
}
