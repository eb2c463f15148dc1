//! `check` reports the marked lines of the programs in tests/c/reach, with `--loops=all` in tests/c/horn, with `--beliefs`
//! in tests/c/beliefs, and with `--whole-program` in tests/c/whole.
//!
//! `//~ rule` stands on the line of a finding's primary place. Functions are called `*_bad` (a finding), `*_ok` (none), or
//! after what is known to go wrong: `fn_*` misses what its `//~? rule` says, `fp_*` reports what its `//~? rule` says
//! should not be.

use crate::project::Project;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Line and rule.
type Place = (usize, String);

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub(crate) fn programs(folder: &str) -> Vec<(String, String)> {
    let folder = root().join("tests/c").join(folder);
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = |path: &PathBuf| {
        (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(path).unwrap())
    };
    paths.iter().filter(|path| path.extension().is_some_and(|ext| ext == "c")).map(read).collect()
}

#[test]
fn findings_are_those_marked() {
    compare("reach", "--loops=auto");
}

#[test]
fn findings_in_whole_programs_are_those_marked() {
    compare("whole", "--whole-program");
}

#[test]
fn findings_in_contracts_are_those_marked() {
    compare("contracts", "--loops=auto");
}

#[test]
fn findings_in_loops_are_those_marked() {
    compare("horn", "--loops=all");
}

/// Most of the paper's examples, in one file, are found without options.
#[test]
fn most_findings_in_loops_need_no_option() {
    let (name, text) = programs("horn").into_iter().find(|(name, _)| name == "kinds.c").unwrap();
    let project = Project::new(&[(&name, &text)]);
    let (_, report) = project.check(&[&name]);
    let found = report["findings"].as_array().unwrap().len();
    let expected = expected(&text).len();
    assert!(found * 5 >= expected * 4, "{found} of {expected}");
}

#[test]
fn contradictory_beliefs_are_those_marked() {
    compare("beliefs", "--beliefs");
}

pub(crate) fn compare(folder: &str, option: &str) {
    let mut differences = Vec::new();
    for (name, text) in programs(folder) {
        let project = Project::new(&[(&name, &text)]);
        let (_, report) = project.check(&[&name, option]);
        let messages: BTreeMap<Place, String> = report["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|finding| {
                let line = finding["line"].as_u64().unwrap() as usize;
                let rule = finding["rule"].as_str().unwrap().to_owned();
                ((line, rule), finding["message"].as_str().unwrap().to_owned())
            })
            .collect();
        let expected = expected(&text);
        let lines: Vec<&str> = text.lines().collect();
        let describe = |what: &str, (line, rule): &Place| {
            let message =
                messages.get(&(*line, rule.clone())).map_or(String::new(), |m| format!("\n    {m}"));
            format!("{name}:{line}: {what} {rule}: {}{message}", lines[line - 1].trim())
        };
        let found: BTreeSet<Place> = messages.keys().cloned().collect();
        differences.extend(expected.difference(&found).map(|place| describe("missing", place)));
        differences.extend(found.difference(&expected).map(|place| describe("unexpected", place)));
    }
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
}

/// The expected findings: those marked, without the known false negatives and with the known false positives.
fn expected(text: &str) -> BTreeSet<Place> {
    let mut expected = BTreeSet::new();
    let mut function = String::new();
    for (i, line) in text.lines().enumerate() {
        if let Some(name) = defined(line) {
            function = name.to_owned();
        }
        for mark in line.split("//~").skip(1) {
            let (known_failure, rule) = match mark.strip_prefix('?') {
                Some(rule) => (true, rule),
                None => (false, mark),
            };
            if !known_failure || function.starts_with("fp_") {
                expected.insert((i + 1, rule.trim().to_owned()));
            }
        }
    }
    expected
}

/// The name of the function whose definition begins on this line.
fn defined(line: &str) -> Option<&str> {
    let head = line.strip_suffix('{')?;
    let begins = head.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let before = head.split('(').next()?;
    let name = before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next()?;
    (begins && head.contains('(')).then_some(name)
}

#[test]
fn marks_agree_with_the_names_of_functions() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (file, text) in ["reach", "horn", "beliefs", "evidence"].into_iter().flat_map(programs) {
        let mut function = String::new();
        let mut marks: BTreeMap<String, usize> = BTreeMap::new();
        for line in text.lines() {
            if let Some(name) = defined(line) {
                function = name.to_owned();
                marks.insert(function.clone(), 0);
            }
            *marks.entry(function.clone()).or_default() += line.matches("//~").count();
        }
        for (name, marks) in marks {
            let (kind, marked) = match &*name {
                name if name.ends_with("_bad") => ("bad", true),
                name if name.ends_with("_ok") => ("ok", false),
                name if name.starts_with("fn_") || name.starts_with("fp_") => ("known failure", true),
                _ => continue,
            };
            assert_eq!(marks > 0, marked, "{file}: {name} has {marks} marks");
            *counts.entry(kind).or_default() += 1;
        }
    }
    assert!(counts["ok"] >= 150 && counts["bad"] >= 100, "the programs are lost: {counts:?}");
}
