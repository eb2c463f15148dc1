//! `cargo xtask oracle`: tests the verdicts. Programs run with clang's source-based coverage, which counts both outcomes
//! of every condition; gainsay must not call an executed edge impossible.
//!
//! Only runs that end by `exit` or by returning from `main` write a profile, so every counted edge was executed in a run
//! that ended normally.

mod compare;
mod corpus;
mod coverage;
mod csmith;
mod judged;
mod package;
mod random;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::csmith::Programs;
use crate::{process, setup, workspace};

#[derive(clap::Subcommand)]
pub(crate) enum Oracle {
    /// Random programs of csmith
    Csmith(Programs),
    /// Random programs of xtask's generator: callbacks, memory, sections, several units
    Random(random::Options),
    /// Real programs and their test suites
    Corpus(corpus::Options),
}

/// The part of every test run.
pub(crate) fn fixed_part(count: u64) -> Result<(), String> {
    let programs = Programs::fixed(0, count);
    csmith::judge_all(&programs)?;
    random::judge_all(&random::Options { programs, mode: None, sanitize: false })
}

pub(crate) fn run(oracle: &Oracle) -> Result<(), String> {
    setup::for_analyses(&workspace::root())?;
    match oracle {
        Oracle::Csmith(programs) => csmith::judge_all(programs),
        Oracle::Random(options) => random::judge_all(options),
        Oracle::Corpus(options) => corpus::run(options),
    }
}

/// The two programs that an oracle calls.
struct Binaries {
    /// For `summary` and `print-args`.
    gainsay: PathBuf,
    /// For `edges`.
    developer: PathBuf,
}

impl Binaries {
    fn build() -> Result<Binaries, String> {
        let gainsay = workspace::build_gainsay()?;
        Ok(Binaries { gainsay, developer: workspace::build_developer_commands()? })
    }
}

/// gainsay has budgets of its own; this limit is for the case that they do not work.
const EDGES_LIMIT: Duration = Duration::from_secs(1800);

/// Every branch edge of one unit with gainsay's verdict.
/// `known` is the folder where `gainsay summary` wrote what units know about each other.
fn edges(
    binaries: &Binaries,
    directory: &Path,
    file: &Path,
    flags: &[String],
    known: Option<&Path>,
    loops: &str,
) -> Result<String, String> {
    let mut command = workspace::call(&binaries.developer);
    command.args(["edges", "--json", &format!("--loops={loops}")]).arg(file).current_dir(directory);
    if let Some(known) = known {
        command.arg("--known").arg(known);
    }
    command.arg("--").args(flags);
    let end = process::run_measured(&mut command, Some(EDGES_LIMIT))?;
    if end.timed_out {
        return Err(format!("`edges` took more than {} s", EDGES_LIMIT.as_secs()));
    }
    if end.code == Some(0) {
        return Ok(end.stdout);
    }
    Err(format!("`edges` ended with {:?}: {}", end.code, end.stderr.lines().last().unwrap_or("no message")))
}
