//! `cargo xtask findings`: what gainsay reports on real programs, against what somebody has read and judged.
//!
//! Precision is a promise about code that nobody wrote as a test. Every finding on the corpus is therefore judged by
//! hand in tests/corpus/findings.tsv, and a change that adds or removes one must say so there. What `beliefs` and `evidence`
//! say, which are not asked by default, is judged in lists of its own. So are the larger programs.

mod larger;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::corpus::{self, Package};
use crate::json::{self, Json};
use crate::options::Options;
use crate::{process, setup, workspace};

/// What is asked, and where the answers are judged.
struct List {
    judged: &'static str,
    /// The option here, and that of `gainsay check`.
    option: Option<(&'static str, &'static str)>,
    /// Only what this analysis says is judged here.
    analysis: Option<&'static str>,
    /// At most this share of all rows may be false.
    false_percent: usize,
}

const LISTS: [List; 3] = [
    List { judged: "tests/corpus/findings.tsv", option: None, analysis: None, false_percent: 0 },
    List {
        judged: "tests/corpus/beliefs.tsv",
        option: Some(("--beliefs", "--beliefs")),
        analysis: Some("beliefs"),
        false_percent: 10,
    },
    List {
        judged: "tests/corpus/evidence.tsv",
        option: Some(("--evidence", "--evidence=default")),
        analysis: Some("evidence"),
        false_percent: 10,
    },
];
const COLUMNS: [&str; 8] =
    ["package", "file", "line", "function", "rule", "verdict", "fingerprint", "reason"];
const VERDICTS: [&str; 4] = ["bug", "contradiction", "noise", "false"];
/// Stands in new rows and is refused in the file.
const NOT_JUDGED: &str = "?";
/// Noise must stay under this share of all rows.
const NOISE_PERCENT: usize = 20;
/// Fetched, built and checked within seconds.
const SMALL_PACKAGES: [&str; 3] = ["gzip", "bc", "ncompress"];

/// The command line: `[-j N] [--beliefs | --evidence] [PACKAGE...]`, or
/// `[-j N] [--reports DIR [--compare-only]] PROGRAM...` for the larger programs.
pub(crate) fn run(mut options: Options) -> Result<(), String> {
    let jobs = options.value("-j")?;
    let folder = options.value("--reports")?.map(PathBuf::from);
    let only_read = options.flag("--compare-only");
    let [by_default, others @ ..] = &LISTS;
    let list = others.iter().find(|list| list.option.is_some_and(|(option, _)| options.flag(option)));
    let names = options.words()?;
    if !names.is_empty() && names.iter().all(|name| corpus::larger::is_program(name)) {
        let reports = larger::Reports { folder: folder.as_deref(), only_read };
        return larger::compare(&names, jobs.as_deref(), &reports);
    }
    if folder.is_some() || only_read {
        return Err("--reports and --compare-only are for the larger programs".into());
    }
    let wanted = corpus::select(&names)?;
    let mut packages = corpus::built(&[])?;
    packages.retain(|(package, _)| wanted.iter().any(|other| other.name == package.name));
    // A package that was asked for by name and is not there would pass unseen.
    if let Some(name) = names.iter().find(|name| !packages.iter().any(|(p, _)| p.name == **name)) {
        return Err(format!("{name} is not built; run `cargo xtask corpus {name}` first"));
    }
    compare(list.unwrap_or(by_default), &packages, jobs.as_deref())
}

/// The part that every test run checks.
pub(crate) fn fixed_part() -> Result<(), String> {
    let names = SMALL_PACKAGES.map(str::to_owned);
    corpus::run(&names).map_err(|e| {
        let list = names.join(" ");
        format!("could not get and build {list} (offline?); by hand: cargo xtask corpus {list}\n{e}")
    })?;
    compare(&LISTS[0], &corpus::built(&names)?, None)
}

fn compare(list: &List, packages: &[(&Package, PathBuf)], jobs: Option<&str>) -> Result<(), String> {
    let root = workspace::root();
    let name = list.judged;
    let text = fs::read_to_string(root.join(name)).map_err(|e| format!("cannot read {name}: {e}"))?;
    let judged = read(&text).map_err(|e| format!("{name}: {e}"))?;
    setup::for_analyses(&root)?;
    let gainsay = workspace::build_gainsay()?;
    let mut found = Vec::new();
    for (package, dir) in packages {
        let report = check(list, &gainsay, dir, jobs).map_err(|e| format!("{}: {e}", package.name))?;
        let rows = reported(list.analysis, package.name, &report);
        found.extend(rows.map_err(|e| format!("{}: {e}", package.name))?);
    }
    let compared: Vec<&str> = packages.iter().map(|(package, _)| package.name).collect();
    let new = missing_in(&judged, found.iter());
    let gone = missing_in(&found, judged.iter().filter(|row| compared.contains(&row.package.as_str())));
    print_rows("NEW: read each, replace `?` by its verdict and the message by the reason, add the row", &new);
    print_rows("GONE: no longer reported, delete the row", &gone);
    print_table(&judged, &found, &compared);
    verdict(list, &judged, new.len(), gone.len())
}

fn check(list: &List, gainsay: &Path, dir: &Path, jobs: Option<&str>) -> Result<Json, String> {
    let mut command = workspace::call(gainsay);
    // Files are named relative to the current directory.
    command.args(["check", "-p", ".", "--format", "json", "-q", "--no-cache"]).current_dir(dir);
    command.args(list.option.map(|(_, option)| option));
    command.args(jobs.map(|n| ["-j", n]).iter().flatten());
    let end = process::run_measured(&mut command, None)?;
    if !matches!(end.code, Some(0 | 1)) {
        let message = end.stderr.lines().last().unwrap_or("no message");
        return Err(format!("gainsay ended with {:?}: {message}", end.code));
    }
    json::parse(&end.stdout)
}

/// One finding; `line` is for the reader only, it moves too easily.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    package: String,
    file: String,
    line: String,
    function: String,
    rule: String,
    verdict: String,
    fingerprint: String,
    reason: String,
}

impl Row {
    fn key(&self) -> [&str; 5] {
        [&self.package, &self.file, &self.function, &self.rule, &self.fingerprint]
    }

    fn print(&self) -> String {
        let columns = [
            &self.package,
            &self.file,
            &self.line,
            &self.function,
            &self.rule,
            &self.verdict,
            &self.fingerprint,
            &self.reason,
        ];
        columns.map(|text| text.replace(['\t', '\n', '\r'], " ")).join("\t")
    }
}

/// Reads the judged findings; every one needs a verdict and a reason.
fn read(text: &str) -> Result<Vec<Row>, String> {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    if !names.starts_with(&COLUMNS) {
        return Err(format!("the first line must name the columns, tab-separated: {}", COLUMNS.join(" ")));
    }
    let mut rows: Vec<Row> = Vec::new();
    let mut keys = BTreeSet::new();
    for (number, line) in (2..).zip(lines) {
        let row = read_row(line, names.len()).map_err(|e| format!("line {number}: {e}"))?;
        if !keys.insert(row.key().map(str::to_owned)) {
            return Err(format!("line {number}: the same finding stands above"));
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Columns behind the eight are for the reader.
fn read_row(line: &str, names: usize) -> Result<Row, String> {
    let mut columns: Vec<String> = line.split('\t').map(str::to_owned).collect();
    let count = columns.len();
    if count == names {
        columns.truncate(COLUMNS.len());
    }
    let [package, file, line, function, rule, verdict, fingerprint, reason] =
        <[String; 8]>::try_from(columns).map_err(|_| format!("{count} columns instead of {names}"))?;
    corpus::select(std::slice::from_ref(&package))?;
    if !VERDICTS.contains(&verdict.as_str()) {
        return Err(format!("the verdict is `{verdict}`, not one of: {}", VERDICTS.join(" ")));
    }
    if reason.trim().is_empty() {
        return Err("the reason is missing".into());
    }
    Ok(Row { package, file, line, function, rule, verdict, fingerprint, reason })
}

/// The findings of a report as rows that are still to be judged.
fn reported(analysis: Option<&str>, package: &str, report: &Json) -> Result<Vec<Row>, String> {
    let coverage = report.get("coverage").ok_or("the report has no `coverage`")?;
    // Findings in what was not analysed would look as if they were gone.
    if coverage.get("units_failed").and_then(Json::as_number) != Some(0.0) {
        return Err("not every unit could be analysed; see `cargo xtask corpus-check`".into());
    }
    let findings =
        report.get("findings").and_then(Json::as_array).ok_or("the report has no list of findings")?;
    let row = |finding: &Json| {
        let wanted = |name: &str| format!("a finding has no `{name}`");
        let text = |name: &str| {
            finding.get(name).and_then(Json::as_str).map(str::to_owned).ok_or_else(|| wanted(name))
        };
        let line = finding.get("line").and_then(Json::as_number).ok_or_else(|| wanted("line"))?;
        Ok(Row {
            package: package.to_owned(),
            file: text("file")?,
            line: line.to_string(),
            function: text("function")?,
            rule: text("rule")?,
            verdict: NOT_JUDGED.to_owned(),
            fingerprint: text("fingerprint")?,
            reason: text("message")?,
        })
    };
    let is_meant = |finding: &&Json| match (analysis, finding.get("analyses").and_then(Json::as_array)) {
        (Some(analysis), Some(all)) => all.iter().any(|one| one.as_str() == Some(analysis)),
        (Some(_), None) => false,
        (None, _) => true,
    };
    findings.iter().filter(is_meant).map(row).collect()
}

fn missing_in<'a>(known: &[Row], rows: impl Iterator<Item = &'a Row>) -> Vec<&'a Row> {
    let keys: BTreeSet<_> = known.iter().map(Row::key).collect();
    rows.filter(|row| !keys.contains(&row.key())).collect()
}

fn print_rows(heading: &str, rows: &[&Row]) {
    if !rows.is_empty() {
        println!("{heading}");
        rows.iter().for_each(|row| println!("{}", row.print()));
        println!();
    }
}

fn print_table(judged: &[Row], found: &[Row], compared: &[&str]) {
    println!("package    findings    bug  contradiction  noise  false  noise %");
    for package in corpus::PACKAGES {
        let of_package = |row: &&Row| row.package == package.name;
        let rows: Vec<&Row> = judged.iter().filter(of_package).collect();
        if compared.contains(&package.name) {
            let findings = found.iter().filter(of_package).count();
            println!("{}", table_row(package.name, &findings.to_string(), &rows));
        } else if !rows.is_empty() {
            println!("{}", table_row(package.name, "not run", &rows));
        }
    }
    println!("{}", table_row("total", &found.len().to_string(), &judged.iter().collect::<Vec<_>>()));
}

fn table_row(name: &str, findings: &str, rows: &[&Row]) -> String {
    let [bug, contradiction, noise, wrong] =
        VERDICTS.map(|verdict| rows.iter().filter(|row| row.verdict == verdict).count());
    let share = noise as f64 * 100.0 / rows.len().max(1) as f64;
    format!("{name:<10} {findings:>8} {bug:>6} {contradiction:>14} {noise:>6} {wrong:>6} {share:>8.1}")
}

/// An error with everything that is not as it must be. The shares are those of the whole file, whatever was run.
fn verdict(list: &List, judged: &[Row], new: usize, gone: usize) -> Result<(), String> {
    let count = |verdict: &str| judged.iter().filter(|row| row.verdict == verdict).count();
    let (noise, wrong) = (count("noise"), count("false"));
    let mut problems = Vec::new();
    if new + gone > 0 {
        problems.push(format!("{new} finding(s) not in {}, {gone} in it no longer reported", list.judged));
    }
    if wrong * 100 > judged.len() * list.false_percent {
        problems.push(format!("{wrong} finding(s) judged false"));
    }
    if noise > 0 && noise * 100 >= judged.len() * NOISE_PERCENT {
        let total = judged.len();
        problems.push(format!("{noise} of {total} findings are noise, it must be under {NOISE_PERCENT} %"));
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.join("; ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(rows: &[&str]) -> String {
        let rows: Vec<String> = rows.iter().map(|row| row.replace(' ', "\t")).collect();
        format!("{}\n{}\n", COLUMNS.join("\t"), rows.join("\n"))
    }

    const REPORT: &str = r#"{"findings":[
        {"rule":"r","function":"f","file":"a.c","line":9,"message":"two\twords","fingerprint":"1"},
        {"rule":"r","function":"f","file":"a.c","line":3,"message":"m","fingerprint":"2"}],
        "coverage":{"units_failed":0}}"#;

    #[test]
    fn a_moved_finding_is_the_same_and_a_changed_one_is_new_and_gone() {
        let judged = read(&file(&["gzip a.c 1 f r bug 1 why", "gzip a.c 3 f r bug 3 why"])).unwrap();
        let found = reported(None, "gzip", &json::parse(REPORT).unwrap()).unwrap();
        let prints = |rows: Vec<&Row>| rows.iter().map(|row| row.print()).collect::<Vec<_>>();
        assert_eq!(prints(missing_in(&judged, found.iter())), ["gzip\ta.c\t3\tf\tr\t?\t2\tm"]);
        assert_eq!(prints(missing_in(&found, judged.iter())), ["gzip\ta.c\t3\tf\tr\tbug\t3\twhy"]);
    }

    #[test]
    fn a_printed_row_is_one_line_of_eight_columns_that_must_be_judged_first() {
        let found = reported(None, "gzip", &json::parse(REPORT).unwrap()).unwrap();
        let row = found[0].print();
        assert!(read_row(&row, 8).unwrap_err().contains("the verdict is `?`"));
        assert_eq!(read_row(&row.replace('?', "noise"), 8).unwrap().reason, "two words");
    }

    #[test]
    fn a_file_that_says_less_than_it_must_is_refused_with_the_line() {
        let good = "gzip a.c 1 f r bug 1 why";
        assert_eq!(read(&file(&[good])).unwrap().len(), 1);
        assert!(read(good).unwrap_err().contains("the first line"));
        for bad in ["gzip a.c 1 f r bug 1", "gzip a.c 1 f r bug 1 ", "gzpi a.c 1 f r bug 1 why", good] {
            assert!(read(&file(&[good, bad])).unwrap_err().contains("line 3: "), "{bad}");
        }
    }

    #[test]
    fn a_list_of_one_analysis_has_only_what_that_says_and_columns_of_its_own() {
        let report = REPORT.replace(r#""line":9"#, r#""line":9,"analyses":["reach","beliefs"]"#);
        let report = report.replace(r#""line":3"#, r#""line":3,"analyses":["reach"]"#);
        let found = reported(Some("beliefs"), "gzip", &json::parse(&report).unwrap()).unwrap();
        assert_eq!(found.iter().map(|row| row.line.as_str()).collect::<Vec<_>>(), ["9"]);
        let text = file(&["gzip a.c 9 f r bug 1 why inconsistent"]).replacen("reason", "reason\tkind", 1);
        assert_eq!(missing_in(&read(&text).unwrap(), found.iter()), Vec::<&Row>::new());
    }

    #[test]
    fn a_package_that_was_not_analysed_as_a_whole_is_not_compared() {
        let report = REPORT.replace("\"units_failed\":0", "\"units_failed\":1");
        assert!(reported(None, "gzip", &json::parse(&report).unwrap()).is_err());
    }

    #[test]
    fn false_findings_and_a_fifth_of_noise_are_failures() {
        let judged = |verdicts: &[(&str, usize)]| {
            let verdicts = verdicts.iter().flat_map(|(verdict, count)| std::iter::repeat_n(*verdict, *count));
            let rows = verdicts.enumerate().map(|(i, verdict)| format!("bc a.c 1 f r {verdict} {i} why"));
            read(&file(&rows.collect::<Vec<_>>().iter().map(String::as_str).collect::<Vec<_>>())).unwrap()
        };
        assert_eq!(
            verdict(&LISTS[0], &judged(&[("bug", 2), ("contradiction", 3), ("noise", 1)]), 0, 0),
            Ok(())
        );
        assert!(
            verdict(&LISTS[0], &judged(&[("bug", 4), ("noise", 1)]), 0, 0).unwrap_err().contains("1 of 5")
        );
        assert!(
            verdict(&LISTS[0], &judged(&[("bug", 4), ("false", 1)]), 0, 0)
                .unwrap_err()
                .contains("judged false")
        );
        assert_eq!(verdict(&LISTS[1], &judged(&[("bug", 9), ("false", 1)]), 0, 0), Ok(()));
        assert!(verdict(&LISTS[1], &judged(&[("bug", 8), ("false", 1)]), 0, 0).is_err());
        assert!(
            verdict(&LISTS[0], &judged(&[("bug", 1)]), 1, 0).is_err()
                && verdict(&LISTS[0], &[], 0, 1).is_err()
        );
    }
}
