//! `cargo xtask oracle corpus`: real programs, executed by their own test suites, against gainsay's verdicts.
//!
//! gainsay judges the units of the instrumented copy itself, so that both speak of the same code.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::compare::{self, Tally};
use super::coverage::Coverage;
use super::package::{self, SUITES, Suite};
use crate::options::Options;
use crate::units::{self, Unit};
use crate::{corpus, csmith, process, setup, workspace};

const HEADING: &str = "package   functions  executed     lines    edges  executed  impossible  counted  constant  \
                       shared  undecided  no counter  failed  violations";

/// The command line: `[-j N] [PACKAGE...]`.
pub(super) fn run(mut options: Options) -> Result<(), String> {
    let jobs = options.number("-j", csmith::default_jobs())?.max(1);
    let names = options.words()?;
    let known = SUITES.iter().map(|suite| suite.package).collect::<Vec<_>>().join(" ");
    if let Some(name) = names.iter().find(|name| !SUITES.iter().any(|suite| suite.package == **name)) {
        return Err(format!("no test suite of `{name}` is known; there are: {known}"));
    }
    setup::for_analyses(&workspace::root())?;
    let gainsay = workspace::build_gainsay()?;
    let mut violations = 0;
    println!("{HEADING}");
    let wanted = |suite: &&Suite| names.is_empty() || names.iter().any(|name| name == suite.package);
    for suite in SUITES.iter().filter(wanted) {
        let judged = judge(suite, &gainsay, jobs).map_err(|e| format!("{}: {e}", suite.package))?;
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
    /// Violations in one of several ways to compile a file: perhaps another way was executed.
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
        self.doubtful.iter().for_each(|what| println!("  in only one way to compile the file: {what}"));
        t.violations.iter().for_each(|what| println!("  VIOLATION: {what}"));
    }
}

fn judge(suite: &Suite, gainsay: &Path, jobs: u64) -> Result<Judged, String> {
    let package = corpus::select(&[suite.package.to_owned()])?[0];
    let dir = package::build(suite, package)?;
    let coverages = package::executed(suite, &dir)?;
    let listing = process::capture(workspace::call(gainsay).arg("print-args").arg("-p").arg(&dir))?;
    let units = units::read(&listing)?;
    // Units are judged as parts of their program.
    let known = dir.join("gainsay-known");
    std::fs::create_dir_all(&known).map_err(|e| format!("{}: {e}", known.display()))?;
    process::capture(workspace::call(gainsay).args(["summary", "--known"]).arg(&known).arg("-p").arg(&dir))?;
    let results = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(unit) = units.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = judge_unit(gainsay, unit, &known, &coverages);
                    // A poisoned lock means that another thread panicked; the scope passes that on.
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

fn judge_unit(gainsay: &Path, unit: &Unit, known: &Path, coverages: &[Coverage]) -> Result<Tally, String> {
    let (directory, file) = (Path::new(&unit.directory), Path::new(unit.source()));
    let edges = super::edges(gainsay, directory, file, unit.flags(), Some(known), "auto")?;
    compare::compare(file, &edges, coverages)
}

fn sum(results: Vec<(PathBuf, Result<Tally, String>)>) -> Judged {
    let mut judged = Judged::default();
    let mut ways: BTreeMap<PathBuf, Vec<Tally>> = BTreeMap::new();
    for (file, result) in results {
        match result {
            Ok(tally) => ways.entry(file).or_default().push(tally),
            Err(reason) => judged.failed.push(format!("{}: {reason}", file.display())),
        }
    }
    for (_, tallies) in ways {
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
    fn with_several_ways_to_compile_a_file_only_what_all_call_impossible_is_certain() {
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
