//! Compares the findings on the larger programs with tests/corpus/programs.tsv.
//!
//! Unlike findings.tsv, this list keeps the rows of findings that are gone: false ones must not come back, and bugs and
//! contradictions must stay. Noise may appear and disappear. A finding that is not in the list must be judged.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::{List, Row, VERDICTS};
use crate::corpus;
use crate::json::{self, Value};
use crate::{process, setup, workspace};

const LIST: List =
    List { judged: "tests/corpus/programs.tsv", option: None, analysis: None, false_percent: 0 };
/// Functions shown for each reason for giving up.
const EXAMPLES: usize = 3;

/// The directory of the reports, and whether they are only read.
pub(super) struct Reports<'a> {
    pub(super) folder: Option<&'a Path>,
    pub(super) only_read: bool,
}

/// Runs gainsay on these programs, or reads its earlier reports, and compares.
pub(super) fn compare(names: &[String], jobs: Option<u64>, reports: &Reports) -> Result<(), String> {
    let root = workspace::root();
    let name = LIST.judged;
    let text = fs::read_to_string(root.join(name)).map_err(|e| format!("cannot read {name}: {e}"))?;
    let judged = super::read(&text).map_err(|e| format!("{name}: {e}"))?;
    let gainsay = if reports.only_read {
        None
    } else {
        setup::for_analyses(&root)?;
        Some(workspace::build_gainsay()?)
    };
    let mut problems = Vec::new();
    for program in names {
        let report = match &gainsay {
            Some(gainsay) => check(gainsay, program, jobs, reports.folder),
            None => read_report(program, reports.folder),
        };
        let report = report.map_err(|e| format!("{program}: {e}"))?;
        let found =
            super::reported(LIST.analysis, program, &report).map_err(|e| format!("{program}: {e}"))?;
        let rows: Vec<&Row> = judged.iter().filter(|row| row.package == *program).collect();
        let difference = Difference::new(&rows, &found);
        difference.print(program);
        print_given_up(&report);
        problems.extend(difference.problem().map(|problem| format!("{program}: {problem}")));
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

fn check(gainsay: &Path, program: &str, jobs: Option<u64>, folder: Option<&Path>) -> Result<Value, String> {
    let dir = corpus::directory()?.join(program);
    let mut command = workspace::call(gainsay);
    command.args(["check", "-p", ".", "--format", "json", "-q", "--no-cache"]).current_dir(dir);
    command.args(jobs.map(|n| format!("-j{n}")));
    let end = process::run_measured(&mut command, None)?;
    if !matches!(end.code, Some(0 | 1)) {
        let message = end.stderr.lines().last().unwrap_or("no message");
        return Err(format!("gainsay ended with {:?}: {message}", end.code));
    }
    if let Some(folder) = folder {
        let file = folder.join(program).with_extension("json");
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&file, &end.stdout))
            .map_err(|e| format!("cannot write {}: {e}", file.display()))?;
    }
    json::parse(&end.stdout)
}

fn read_report(program: &str, folder: Option<&Path>) -> Result<Value, String> {
    let file = folder.ok_or("--compare-only needs --reports DIR")?.join(program).with_extension("json");
    json::parse(&fs::read_to_string(&file).map_err(|e| format!("cannot read {}: {e}", file.display()))?)
}

/// How a report differs from the judged findings.
struct Difference<'a> {
    kept: Vec<&'a Row>,
    gone: Vec<&'a Row>,
    new: Vec<&'a Row>,
}

impl<'a> Difference<'a> {
    fn new(judged: &[&'a Row], found: &'a [Row]) -> Difference<'a> {
        let (kept, gone) = judged.iter().partition(|row| found.iter().any(|other| is_same(row, other)));
        let new = found.iter().filter(|row| !judged.iter().any(|other| is_same(row, other))).collect();
        Difference { kept, gone, new }
    }

    fn print(&self, program: &str) {
        let of = |rows: &[&'a Row], verdicts: &[&str]| -> Vec<&'a Row> {
            rows.iter().copied().filter(|row| verdicts.contains(&row.verdict.as_str())).collect()
        };
        super::print_rows("FALSE, but reported:", &of(&self.kept, &["false"]));
        super::print_rows("LOST, but useful:", &of(&self.gone, &USEFUL));
        super::print_rows("gone:", &of(&self.gone, &["noise", "false"]));
        super::print_rows(
            "NEW: read each, replace `?` by the verdict and the message by the reason, and add the row",
            &self.new,
        );
        println!("{program:<15} {:>6} {:>6}", "kept", "gone");
        for verdict in VERDICTS {
            println!(
                "  {verdict:<13} {:>6} {:>6}",
                of(&self.kept, &[verdict]).len(),
                of(&self.gone, &[verdict]).len()
            );
        }
        println!("  not judged: {}", self.new.len());
    }

    fn problem(&self) -> Option<String> {
        let wrong = self.kept.iter().filter(|row| row.verdict == "false").count();
        let lost = self.gone.iter().filter(|row| USEFUL.contains(&row.verdict.as_str())).count();
        let new = self.new.len();
        let fine = wrong + lost + new == 0;
        (!fine).then(|| {
            format!("{wrong} false finding(s) reported, {lost} useful one(s) lost, {new} not judged")
        })
    }
}

const USEFUL: [&str; 2] = ["bug", "contradiction"];

/// The sources are pinned, so a finding whose fingerprint changes is identified by its line. If the pinned sources are
/// not available and others are used, the fingerprint identifies it.
fn is_same(a: &Row, b: &Row) -> bool {
    (&a.package, &a.file, &a.function) == (&b.package, &b.file, &b.function)
        && (a.line == b.line || a.fingerprint == b.fingerprint)
}

fn print_given_up(report: &Value) {
    let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for function in json::items(&report["coverage"]["functions_given_up"]) {
        let text = |name: &str| function[name].as_str().unwrap_or("?");
        let line = function["line"].as_u64().unwrap_or_default();
        let place = format!("{}:{line} {}", text("file"), text("function"));
        reasons.entry(text("reason")).or_default().push(place);
    }
    println!("  functions given up: {}", reasons.values().map(Vec::len).sum::<usize>());
    for (reason, places) in reasons {
        println!("  {:>6} {reason}: {}", places.len(), places[..places.len().min(EXAMPLES)].join(", "));
    }
    println!();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(line: &str, fingerprint: &str, verdict: &str) -> Row {
        let text = format!("linux\ta.c\t{line}\tf\tr\t{verdict}\t{fingerprint}\twhy");
        super::super::read_row(&text, 8).unwrap()
    }

    #[test]
    fn a_finding_is_identified_by_its_line_or_its_fingerprint() {
        let known = row("3", "1", "bug");
        assert!(is_same(&known, &row("3", "2", "bug")) && is_same(&known, &row("4", "1", "bug")));
        assert!(!is_same(&known, &row("4", "2", "bug")));
    }

    #[test]
    fn false_findings_must_not_return_and_useful_ones_must_stay() {
        let [bug, noise, wrong] = [row("1", "1", "bug"), row("2", "2", "noise"), row("3", "3", "false")];
        let judged = [&bug, &noise, &wrong];
        let problem = |found: &[&Row]| {
            let found: Vec<Row> = found.iter().map(|row| (*row).clone()).collect();
            Difference::new(&judged, &found).problem()
        };
        assert_eq!(problem(&[&bug]), None);
        assert_eq!(problem(&[&bug, &noise]), None);
        assert!(problem(&[&noise]).unwrap().contains("1 useful"));
        assert!(problem(&[&bug, &wrong]).unwrap().contains("1 false"));
        assert!(problem(&[&bug, &row("4", "4", "noise")]).unwrap().contains("1 not judged"));
    }
}
