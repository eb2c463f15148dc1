//! `cargo xtask oracle`: does gainsay call impossible what really happens? Programs run under clang's source-based
//! coverage, which counts both outcomes of every condition; no edge that was executed may be called impossible.
//!
//! Only runs that end by `exit` or by returning from `main` write a profile, so whatever is counted was executed in a
//! run that ended well.

mod compare;
mod corpus;
mod coverage;
mod csmith;
mod judged;
mod package;
mod random;

use std::path::Path;
use std::time::Duration;

use crate::options::Options;
use crate::{process, workspace};

/// The fixed part that every test run checks.
pub(crate) fn fixed_part(programs: u64) -> Result<(), String> {
    csmith::judge_all(&csmith::Settings::fixed(programs))?;
    random::judge_all(&random::Settings::fixed(programs))
}

/// The command line: `csmith ...` or `corpus ...`.
pub(crate) fn run(words: &[String]) -> Result<(), String> {
    match words.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        Some(("csmith", rest)) => csmith::run(Options::new(rest)),
        Some(("random", rest)) => random::run(Options::new(rest)),
        Some(("corpus", rest)) => corpus::run(Options::new(rest)),
        _ => {
            Err("there are three oracles: `cargo xtask oracle csmith`, `... random` and `... corpus`".into())
        }
    }
}

/// A backstop only: gainsay has budgets of its own.
const EDGES_LIMIT: Duration = Duration::from_secs(1800);

/// Every branch edge of one unit with gainsay's verdict.
/// `known`: where `gainsay summary` wrote what units know of each other.
fn edges(
    gainsay: &Path,
    directory: &Path,
    file: &Path,
    flags: &[String],
    known: Option<&Path>,
    loops: &str,
) -> Result<String, String> {
    let mut command = workspace::call(gainsay);
    command.args(["edges", "--json", &format!("--loops={loops}")]).arg(file).current_dir(directory);
    if let Some(known) = known {
        command.arg("--known").arg(known);
    }
    command.arg("--").args(flags);
    let end = process::run_measured(&mut command, Some(EDGES_LIMIT))?;
    if end.timed_out {
        return Err(format!("gainsay edges took more than {} s", EDGES_LIMIT.as_secs()));
    }
    if end.code == Some(0) {
        return Ok(end.stdout);
    }
    Err(format!(
        "gainsay edges ended with {:?}: {}",
        end.code,
        end.stderr.lines().last().unwrap_or("no message")
    ))
}
