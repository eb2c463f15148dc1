//! `cargo xtask invariance`: checks that display options, the number of workers, the cache and additional analyses do
//! not change the answer of the default run.
//!
//! The answer is the list of proved findings that are not noise, the number of noise findings of each class, and the
//! counts of inconsistent functions and undecided branches.

use std::collections::BTreeMap;
use std::path::Path;

use crate::corpus;
use crate::json::{self, Value};
use crate::{process, setup, workspace};

/// Fetched and built within seconds, as for `cargo xtask findings`.
const SMALL_PACKAGES: [&str; 3] = ["gzip", "bc", "ncompress"];

/// The only package that every test run checks with `--loops=all`; the others take minutes.
const SMALLEST: &str = "ncompress";

/// How the answer of a run must relate to that of the default run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Same,
    /// Additional analyses: the counts of `reach` are the same, and every proved finding is there, perhaps with more
    /// analyses.
    More,
    /// A stronger setting: every proved finding is there.
    Stronger,
}

/// Runs in this order; those with a cache share one.
const RUNS: [(&[&str], bool, Relation); 9] = [
    (&["-j2", "--show=all"], false, Relation::Same),
    (&["-j2"], true, Relation::Same),
    (&["-j1"], true, Relation::Same),
    (&["-j1", "--show=redundant"], true, Relation::Same),
    (&["-j2", "--show=all"], true, Relation::Same),
    (&["-j2", "--beliefs"], true, Relation::More),
    (&["-j2", "--evidence=default"], true, Relation::More),
    (&["-j1"], true, Relation::Same),
    (&["-j2", "--loops=all"], false, Relation::Stronger),
];

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Packages, compared with all settings [default: three small ones, without the slow settings]
    #[arg(value_name = "PACKAGE")]
    pub(crate) packages: Vec<String>,
}

pub(crate) fn run(names: &[String]) -> Result<(), String> {
    if names.is_empty() { fixed_part() } else { compare(names, true) }
}

/// The part of every test run.
pub(crate) fn fixed_part() -> Result<(), String> {
    let names = SMALL_PACKAGES.map(str::to_owned);
    corpus::run(&names)?;
    compare(&names, false)
}

/// `everything` includes the runs that take minutes.
fn compare(names: &[String], everything: bool) -> Result<(), String> {
    setup::for_analyses(&workspace::root())?;
    let gainsay = workspace::build_gainsay()?;
    for (package, directory) in corpus::built(names)? {
        let cache = Temporary::new(package.name)?;
        let cache_option = format!("--cache-dir={}", cache.0.display());
        let plain = answer(&gainsay, &directory, &["-j1", "--no-cache"])?;
        let mut wrong = Vec::new();
        let is_asked =
            |relation: Relation| relation != Relation::Stronger || everything || package.name == SMALLEST;
        let runs: Vec<_> = RUNS.into_iter().filter(|(_, _, relation)| is_asked(*relation)).collect();
        for &(options, is_cached, relation) in &runs {
            let how = if is_cached { cache_option.as_str() } else { "--no-cache" };
            let other = answer(&gainsay, &directory, &[options, &[how]].concat())?;
            if let Some(difference) = plain.differs(&other, relation) {
                wrong.push(format!("  {}: {difference}", options.join(" ")));
            }
        }
        let alike = runs.len() - wrong.len();
        println!("{:<10} {} findings, the same in {alike} other runs", package.name, plain.findings.len());
        if !wrong.is_empty() {
            return Err(format!("{}: options change the answer:\n{}", package.name, wrong.join("\n")));
        }
    }
    Ok(())
}

/// A directory that is removed when this is dropped.
struct Temporary(std::path::PathBuf);

impl Temporary {
    fn new(name: &str) -> Result<Temporary, String> {
        let path = std::env::temp_dir().join(format!("gainsay-invariance-{name}-{}", std::process::id()));
        std::fs::create_dir(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(Temporary(path))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The part of a report that options must not change.
struct Answer {
    /// Position and text of each finding that is not noise, without the names of the analyses.
    findings: Vec<String>,
    /// The number of noise findings of each class, shown or hidden.
    noise: BTreeMap<String, u64>,
    counts: [u64; 2],
}

impl Answer {
    fn differs(&self, other: &Answer, relation: Relation) -> Option<String> {
        let gone = self.findings.iter().find(|finding| !other.findings.contains(finding));
        let new = other.findings.iter().find(|finding| !self.findings.contains(finding));
        match (gone, new) {
            (Some(gone), _) => return Some(format!("gone: {gone}")),
            (_, Some(new)) if relation == Relation::Same => return Some(format!("new: {new}")),
            _ => {}
        }
        if relation != Relation::Stronger && self.counts != other.counts {
            return Some(format!("inconsistent and undecided: {:?} and {:?}", self.counts, other.counts));
        }
        (relation == Relation::Same && self.noise != other.noise)
            .then(|| format!("noise: {:?} and {:?}", self.noise, other.noise))
    }
}

fn answer(gainsay: &Path, directory: &Path, options: &[&str]) -> Result<Answer, String> {
    let mut command = workspace::call(gainsay);
    command.args(["check", "-p", ".", "--format=json", "-q"]).args(options).current_dir(directory);
    let end = process::run_measured(&mut command, None)?;
    if !matches!(end.code, Some(0 | 1)) {
        let message = end.stderr.lines().last().unwrap_or("no message");
        return Err(format!("gainsay ended with {:?}: {message}", end.code));
    }
    read(&json::parse(&end.stdout)?).ok_or_else(|| "a member of the report is missing".into())
}

fn read(report: &Value) -> Option<Answer> {
    let coverage = report.get("coverage")?;
    let count = |name: &str| coverage[name].as_u64();
    let mut answer = Answer {
        findings: Vec::new(),
        noise: BTreeMap::new(),
        counts: [count("inconsistent")?, count("edges_undecided")?],
    };
    for (class, n) in coverage["hidden"].as_object()? {
        answer.noise.insert(class.clone(), n.as_u64()?);
    }
    for finding in report["findings"].as_array()? {
        let analyses = json::strings(finding.get("analyses")?);
        match finding.get("class")?.as_str() {
            Some(class) => *answer.noise.entry(class.to_owned()).or_default() += 1,
            None if analyses.iter().any(|name| name == "reach" || name == "horn") => {
                let parts = ["file", "line", "column", "rule", "message", "related", "fingerprint"];
                let texts: Option<Vec<String>> =
                    parts.iter().map(|part| finding.get(part).map(Value::to_string)).collect();
                answer.findings.push(texts?.join(" "));
            }
            None => {}
        }
    }
    Some(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(findings: &[&str], noise: u64) -> Answer {
        Answer {
            findings: findings.iter().map(|&text| text.to_owned()).collect(),
            noise: BTreeMap::from([("macro".to_owned(), noise)]),
            counts: [1, 0],
        }
    }

    #[test]
    fn only_what_the_relation_allows_may_differ() {
        let plain = answer(&["a"], 2);
        for (other, same, more) in [
            (answer(&["a"], 2), true, true),
            (answer(&["a", "b"], 2), false, true),
            (answer(&["a"], 3), false, true),
            (answer(&["b"], 2), false, false),
        ] {
            assert_eq!(plain.differs(&other, Relation::Same).is_none(), same);
            assert_eq!(plain.differs(&other, Relation::More).is_none(), more);
            assert_eq!(plain.differs(&other, Relation::Stronger).is_none(), more);
        }
        let undecided = Answer { counts: [1, 1], ..answer(&["a"], 2) };
        assert!(plain.differs(&undecided, Relation::More).is_some());
        assert!(plain.differs(&undecided, Relation::Stronger).is_none());
    }

    #[test]
    fn shown_and_hidden_noise_are_counted_together() {
        let text = r#"{"findings": [
            {"class": "macro", "analyses": ["reach"], "file": "a.c"},
            {"class": null, "analyses": ["beliefs"], "file": "a.c"},
            {"class": null, "analyses": ["beliefs", "reach"], "file": "a.c", "line": 1, "column": 2, "rule": "r",
             "message": "m", "related": [], "fingerprint": "f"}],
            "coverage": {"inconsistent": 1, "edges_undecided": 0, "hidden": {"macro": 2}}}"#;
        let answer = read(&json::parse(text).unwrap()).unwrap();
        assert_eq!((answer.noise["macro"], answer.findings.len()), (3, 1));
    }
}
