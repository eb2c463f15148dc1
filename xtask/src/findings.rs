//! `cargo xtask findings`: compares the findings on real programs with judged ones.
//!
//! Every finding on the corpus is judged by hand in tests/corpus/findings.tsv, and a change that adds or removes one
//! must update that file. The findings of `beliefs` and `evidence`, which do not run by default, and those on the larger
//! programs have lists of their own.

mod larger;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::corpus::{self, Package};
use crate::json::{self, Value};
use crate::{process, setup, workspace};

/// A file of judged findings and the option that reports them.
struct List {
    judged: &'static str,
    /// The option of `gainsay check`.
    option: Option<&'static str>,
    /// Only findings of this analysis are in the list.
    analysis: Option<&'static str>,
    /// At most this share of all rows may be false.
    false_percent: usize,
}

const LISTS: [List; 3] = [
    List { judged: "tests/corpus/findings.tsv", option: None, analysis: None, false_percent: 0 },
    List {
        judged: "tests/corpus/beliefs.tsv",
        option: Some("--beliefs"),
        analysis: Some("beliefs"),
        false_percent: 10,
    },
    List {
        judged: "tests/corpus/evidence.tsv",
        option: Some("--evidence=default"),
        analysis: Some("evidence"),
        false_percent: 10,
    },
];
const COLUMNS: [&str; 8] =
    ["package", "file", "line", "function", "rule", "verdict", "fingerprint", "reason"];
const VERDICTS: [&str; 4] = ["bug", "contradiction", "noise", "false"];
/// The verdict of new rows, which is an error in the file.
const NOT_JUDGED: &str = "?";
/// Noise must stay under this share of all rows.
const NOISE_PERCENT: usize = 20;
/// Fetched, built and checked within seconds.
const SMALL_PACKAGES: [&str; 3] = ["gzip", "bc", "ncompress"];

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Number of workers [default: gainsay's]
    #[arg(short = 'j', value_name = "N")]
    jobs: Option<u64>,
    /// Compare the findings of `gainsay check --beliefs` with tests/corpus/beliefs.tsv
    #[arg(long, conflicts_with = "evidence")]
    beliefs: bool,
    /// Compare the findings of `gainsay check --evidence=default` with tests/corpus/evidence.tsv
    #[arg(long)]
    evidence: bool,
    /// Write the reports on the larger programs to this directory
    #[arg(long, value_name = "DIR")]
    reports: Option<PathBuf>,
    /// Read the reports from the directory of --reports instead of running gainsay
    #[arg(long, requires = "reports")]
    compare_only: bool,
    /// Packages, or only larger programs, which are compared with tests/corpus/programs.tsv [default: all packages that
    /// are built]
    #[arg(value_name = "PACKAGE")]
    packages: Vec<String>,
}

/// Compares the findings; an error if any is new, gone, or judged false.
pub(crate) fn run(options: &Options) -> Result<(), String> {
    let names = &options.packages;
    if !names.is_empty() && names.iter().all(|name| corpus::larger::is_program(name)) {
        let reports = larger::Reports { folder: options.reports.as_deref(), only_read: options.compare_only };
        return larger::compare(names, options.jobs, &reports);
    }
    if options.reports.is_some() {
        return Err("--reports is for the larger programs".into());
    }
    let [by_default, beliefs, evidence] = &LISTS;
    let list = match options {
        Options { beliefs: true, .. } => beliefs,
        Options { evidence: true, .. } => evidence,
        _ => by_default,
    };
    let wanted = corpus::select(names)?;
    let mut packages = corpus::built(&[])?;
    packages.retain(|(package, _)| wanted.iter().any(|other| other.name == package.name));
    // A named package that is not built must not pass.
    if let Some(name) = names.iter().find(|name| !packages.iter().any(|(p, _)| p.name == **name)) {
        return Err(format!("{name} is not built; run `cargo xtask corpus {name}` first"));
    }
    compare(list, &packages, options.jobs)
}

/// The part of every test run.
pub(crate) fn fixed_part() -> Result<(), String> {
    let names = SMALL_PACKAGES.map(str::to_owned);
    corpus::run(&names).map_err(|e| {
        let list = names.join(" ");
        format!("cannot fetch and build {list} (offline?); to retry: cargo xtask corpus {list}\n{e}")
    })?;
    compare(&LISTS[0], &corpus::built(&names)?, None)
}

fn compare(list: &List, packages: &[(&Package, PathBuf)], jobs: Option<u64>) -> Result<(), String> {
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
    print_rows(
        "NEW: read each, replace `?` by the verdict and the message by the reason, and add the row",
        &new,
    );
    print_rows("GONE: not reported; delete the row", &gone);
    print_table(&judged, &found, &compared);
    verdict(list, &judged, new.len(), gone.len())
}

fn check(list: &List, gainsay: &Path, dir: &Path, jobs: Option<u64>) -> Result<Value, String> {
    let mut command = workspace::call(gainsay);
    // Files are named relative to the current directory.
    command.args(["check", "-p", ".", "--format", "json", "-q", "--no-cache"]).current_dir(dir);
    command.args(list.option).args(jobs.map(|n| format!("-j{n}")));
    let end = process::run_measured(&mut command, None)?;
    if !matches!(end.code, Some(0 | 1)) {
        let message = end.stderr.lines().last().unwrap_or("no message");
        return Err(format!("gainsay ended with {:?}: {message}", end.code));
    }
    json::parse(&end.stdout)
}

/// One finding. `line` is only for the reader, because edits change it.
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

/// Reads the judged findings; each needs a verdict and a reason.
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
            return Err(format!("line {number}: this finding is already listed"));
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Columns after the eighth are only for the reader.
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

/// The findings of a report as rows without a verdict.
fn reported(analysis: Option<&str>, package: &str, report: &Value) -> Result<Vec<Row>, String> {
    let coverage = report.get("coverage").ok_or("the report has no `coverage`")?;
    // The findings of a unit that failed would appear to be gone.
    if coverage["units_failed"].as_u64() != Some(0) {
        return Err("not every unit was analysed; see `cargo xtask corpus-check`".into());
    }
    let findings = report["findings"].as_array().ok_or("the report has no list of findings")?;
    let row = |finding: &Value| {
        let wanted = |name: &str| format!("a finding has no `{name}`");
        let text = |name: &str| finding[name].as_str().map(str::to_owned).ok_or_else(|| wanted(name));
        let line = finding["line"].as_u64().ok_or_else(|| wanted("line"))?;
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
    let is_wanted = |finding: &&Value| {
        analysis
            .is_none_or(|name| json::items(&finding["analyses"]).iter().any(|one| one.as_str() == Some(name)))
    };
    findings.iter().filter(is_wanted).map(row).collect()
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

/// An error that lists all problems. The shares are those of the whole file, not only of the packages that ran.
fn verdict(list: &List, judged: &[Row], new: usize, gone: usize) -> Result<(), String> {
    let count = |verdict: &str| judged.iter().filter(|row| row.verdict == verdict).count();
    let (noise, wrong) = (count("noise"), count("false"));
    let mut problems = Vec::new();
    if new + gone > 0 {
        problems.push(format!("{new} finding(s) not in {}, {gone} listed but not reported", list.judged));
    }
    if wrong * 100 > judged.len() * list.false_percent {
        problems.push(format!("{wrong} finding(s) judged false"));
    }
    if noise > 0 && noise * 100 >= judged.len() * NOISE_PERCENT {
        let total = judged.len();
        problems.push(format!("{noise} of {total} findings are noise; the limit is {NOISE_PERCENT} %"));
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
        let found = reported(None, "gzip", &json::parse::<Value>(REPORT).unwrap()).unwrap();
        let prints = |rows: Vec<&Row>| rows.iter().map(|row| row.print()).collect::<Vec<_>>();
        assert_eq!(prints(missing_in(&judged, found.iter())), ["gzip\ta.c\t3\tf\tr\t?\t2\tm"]);
        assert_eq!(prints(missing_in(&found, judged.iter())), ["gzip\ta.c\t3\tf\tr\tbug\t3\twhy"]);
    }

    #[test]
    fn a_printed_row_has_eight_columns_and_needs_a_verdict() {
        let found = reported(None, "gzip", &json::parse::<Value>(REPORT).unwrap()).unwrap();
        let row = found[0].print();
        assert!(read_row(&row, 8).unwrap_err().contains("the verdict is `?`"));
        assert_eq!(read_row(&row.replace('?', "noise"), 8).unwrap().reason, "two words");
    }

    #[test]
    fn an_incomplete_row_is_an_error_with_its_line() {
        let good = "gzip a.c 1 f r bug 1 why";
        assert_eq!(read(&file(&[good])).unwrap().len(), 1);
        assert!(read(good).unwrap_err().contains("the first line"));
        for bad in ["gzip a.c 1 f r bug 1", "gzip a.c 1 f r bug 1 ", "gzpi a.c 1 f r bug 1 why", good] {
            assert!(read(&file(&[good, bad])).unwrap_err().contains("line 3: "), "{bad}");
        }
    }

    #[test]
    fn a_list_of_one_analysis_has_only_its_findings_and_may_have_more_columns() {
        let report = REPORT.replace(r#""line":9"#, r#""line":9,"analyses":["reach","beliefs"]"#);
        let report = report.replace(r#""line":3"#, r#""line":3,"analyses":["reach"]"#);
        let found = reported(Some("beliefs"), "gzip", &json::parse::<Value>(&report).unwrap()).unwrap();
        assert_eq!(found.iter().map(|row| row.line.as_str()).collect::<Vec<_>>(), ["9"]);
        let text = file(&["gzip a.c 9 f r bug 1 why inconsistent"]).replacen("reason", "reason\tkind", 1);
        assert_eq!(missing_in(&read(&text).unwrap(), found.iter()), Vec::<&Row>::new());
    }

    #[test]
    fn a_package_with_failed_units_is_not_compared() {
        let report = REPORT.replace("\"units_failed\":0", "\"units_failed\":1");
        assert!(reported(None, "gzip", &json::parse::<Value>(&report).unwrap()).is_err());
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
