//! `cargo xtask oracle corpus`: real programs, executed by their own test suites.
//!
//! gainsay judges the units of the copy with coverage counters, so that both see the same code.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Binaries;
use super::compare::{self, Tally};
use super::coverage::Coverage;
use super::package::{self, SUITES, Suite};
use crate::units::{self, Unit};
use crate::{corpus, csmith, process, workspace};

const HEADING: &str = "package   functions  executed     lines    edges  executed  impossible  counted  constant  \
                       shared  undecided  no counter  failed  violations";

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Number of threads
    #[arg(short = 'j', value_name = "N", default_value_t = csmith::default_jobs(), value_parser = clap::value_parser!(u64).range(1..))]
    jobs: u64,
    /// Packages with a test suite [default: all]
    #[arg(value_name = "PACKAGE", value_parser = SUITES.iter().map(|suite| suite.package).collect::<Vec<_>>())]
    packages: Vec<String>,
}

/// Runs the test suites and judges all units; an error if any edge is wrong.
pub(super) fn run(options: &Options) -> Result<(), String> {
    let names = &options.packages;
    let binaries = Binaries::build()?;
    let mut violations = 0;
    println!("{HEADING}");
    let wanted = |suite: &&Suite| names.is_empty() || names.iter().any(|name| name == suite.package);
    for suite in SUITES.iter().filter(wanted) {
        let judged = judge(suite, &binaries, options.jobs).map_err(|e| format!("{}: {e}", suite.package))?;
        judged.print(suite.package);
        violations += judged.tally.violations.len();
    }
    if violations == 0 { Ok(()) } else { Err(format!("{violations} violation(s)")) }
}

/// The outcome for one package.
#[derive(Default)]
struct Judged {
    tally: Tally,
    /// Units without verdicts.
    failed: Vec<String>,
    /// Violations with only some of several compile commands of a file; another one may have been executed.
    doubtful: Vec<String>,
}

impl Judged {
    fn print(&self, name: &str) {
        let t = &self.tally;
        println!(
            "{name:<9} {:>9} {:>9} {:>9} {:>8} {:>9} {:>11} {:>8} {:>9} {:>7} {:>10} {:>11} {:>7} {:>11}",
            t.functions,
            t.functions_executed,
            t.lines.len(),
            t.edges,
            t.executed,
            t.impossible,
            t.matched,
            t.constant,
            t.shared,
            t.undecided,
            t.unmatched,
            self.failed.len(),
            t.violations.len()
        );
        self.failed.iter().for_each(|what| println!("  failed: {what}"));
        self.doubtful
            .iter()
            .for_each(|what| println!("  only with some compile commands of the file: {what}"));
        t.violations.iter().for_each(|what| println!("  VIOLATION: {what}"));
    }
}

fn judge(suite: &Suite, binaries: &Binaries, jobs: u64) -> Result<Judged, String> {
    let package = corpus::select(&[suite.package.to_owned()])?[0];
    let dir = package::build(suite, package)?;
    let coverages = package::executed(suite, &dir)?;
    let listing = process::capture(workspace::call(&binaries.gainsay).arg("print-args").arg("-p").arg(&dir))?;
    let units = units::read(&listing)?;
    // Units are judged as parts of their program.
    let known = dir.join("gainsay-known");
    std::fs::create_dir_all(&known).map_err(|e| format!("{}: {e}", known.display()))?;
    let mut summary = workspace::call(&binaries.gainsay);
    process::capture(summary.args(["summary", "--known"]).arg(&known).arg("-p").arg(&dir))?;
    let results = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(unit) = units.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = judge_unit(binaries, unit, &known, &coverages);
                    // A poisoned lock means that another thread panicked; the scope propagates that.
                    if let Ok(mut results) = results.lock() {
                        results.push((main_file(unit), result));
                    }
                }
            });
        }
    });
    let results = results.into_inner().map_err(|_| "a worker thread panicked")?;
    Ok(sum(results))
}

fn main_file(unit: &Unit) -> PathBuf {
    Path::new(&unit.directory).join(unit.source())
}

fn judge_unit(
    binaries: &Binaries,
    unit: &Unit,
    known: &Path,
    coverages: &[Coverage],
) -> Result<Tally, String> {
    let (directory, file) = (Path::new(&unit.directory), Path::new(unit.source()));
    let edges = super::edges(binaries, directory, file, unit.flags(), Some(known), "auto")?;
    compare::compare(file, &edges, coverages)
}

fn sum(results: Vec<(PathBuf, Result<Tally, String>)>) -> Judged {
    let mut judged = Judged::default();
    let mut by_file: BTreeMap<PathBuf, Vec<Tally>> = BTreeMap::new();
    for (file, result) in results {
        match result {
            Ok(tally) => by_file.entry(file).or_default().push(tally),
            Err(reason) => judged.failed.push(format!("{}: {reason}", file.display())),
        }
    }
    for (_, tallies) in by_file {
        let in_all = |what: &String| tallies.iter().all(|tally| tally.violations.contains(what));
        let all: Vec<String> = tallies.iter().flat_map(|tally| tally.violations.iter().cloned()).collect();
        let (certain, doubtful): (Vec<_>, Vec<_>) = all.into_iter().partition(in_all);
        judged.doubtful.extend(doubtful);
        for tally in tallies {
            judged.tally.add(Tally { violations: Default::default(), ..tally });
        }
        judged.tally.violations.extend(certain);
    }
    judged.doubtful.sort();
    judged.doubtful.dedup();
    judged.failed.sort();
    judged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_violation_is_certain_only_with_all_compile_commands_of_a_file() {
        let tally = |violations: &[&str]| Tally {
            edges: 1,
            violations: violations.iter().map(|what| what.to_string()).collect(),
            ..Tally::default()
        };
        let judged = sum(vec![
            ("a.c".into(), Ok(tally(&["x", "y"]))),
            ("a.c".into(), Ok(tally(&["y"]))),
            ("b.c".into(), Ok(tally(&["z"]))),
            ("c.c".into(), Err("no".into())),
        ]);
        assert_eq!(judged.tally.violations.iter().collect::<Vec<_>>(), ["y", "z"]);
        assert_eq!((judged.doubtful, judged.failed), (vec!["x".to_owned()], vec!["c.c: no".to_owned()]));
        assert_eq!(judged.tally.edges, 3);
    }
}
