//! The programs of tests/evidence: every figure of the paper, and traps.
//!
//! On the line of an ERROR node `//~ f: ev-2..ev-all default` says that a path from the entry of `f` to it is reported under
//! these settings and no others (several functions are separated by `;`). On the line of a function's name `//~ requires P` is
//! the precondition that the default setting infers for it; without it none is inferred.

use crate::parse::{parse, parse_predicate};
use crate::paths::judge;
use crate::program_files::{differences, program_files};
use crate::setting::{SETTINGS, Setting};
use crate::syntax::{Predicate, Program};
use std::collections::{BTreeMap, BTreeSet};

/// The settings under which a line is reported for a function.
type Reports = BTreeMap<(usize, String), BTreeSet<&'static str>>;

#[test]
fn programs_meet_their_expectations() {
    let mut report = String::new();
    for (path, text) in program_files("evidence") {
        let read = || Ok((parse(&text)?, expected(&text)?));
        let (program, (reports, preconditions)) =
            read().unwrap_or_else(|error: String| panic!("{}: {error}", path.display()));
        report += &differences(&path, &reports, &found(&program));
        for difference in wrong_preconditions(&program, &preconditions) {
            report += &format!("{}:{difference}\n", path.display());
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

fn found(program: &Program) -> Reports {
    let mut reports = Reports::new();
    for setting in &SETTINGS {
        for (function, verdict) in program.functions.iter().zip(judge(program, setting)) {
            for line in verdict.reported {
                reports.entry((line, function.name.clone())).or_default().insert(setting.name);
            }
        }
    }
    reports
}

fn wrong_preconditions(program: &Program, expected: &BTreeMap<usize, Predicate>) -> Vec<String> {
    let mut wrong = Vec::new();
    for (function, verdict) in program.functions.iter().zip(judge(program, Setting::named("default"))) {
        let anything = Predicate::Constant(true);
        let precondition = expected.get(&function.line).unwrap_or(&anything);
        for (index, input) in program.inputs(function).iter().enumerate() {
            let is_legal = precondition.holds(&|name| input.get(name).copied().flatten());
            if is_legal == verdict.illegal.contains(&index) {
                let not = if is_legal { "not " } else { "" };
                wrong.push(format!("{}: the inferred precondition is {not}true of {input:?}", function.line));
                break;
            }
        }
    }
    wrong
}

fn expected(text: &str) -> Result<(Reports, BTreeMap<usize, Predicate>), String> {
    let (mut reports, mut preconditions) = (Reports::new(), BTreeMap::new());
    for (index, whole) in text.lines().enumerate() {
        let line = index + 1;
        let Some((_, mark)) = whole.split_once("//~") else { continue };
        if let Some(predicate) = mark.trim().strip_prefix("requires ") {
            preconditions.insert(line, parse_predicate(predicate, line)?);
            continue;
        }
        for report in mark.split(';') {
            let (function, names) =
                report.split_once(':').ok_or_else(|| format!("line {line}: a function is missing"))?;
            let names = names.split_whitespace().flat_map(settings).collect();
            reports.insert((line, function.trim().to_owned()), names);
        }
    }
    Ok((reports, preconditions))
}

/// A name, or a range of names in the order of the table.
fn settings(word: &str) -> Vec<&'static str> {
    let position = |name: &str| SETTINGS.iter().position(|setting| setting.name == Setting::named(name).name);
    match word.split_once("..") {
        None => vec![Setting::named(word).name],
        Some((first, last)) => {
            let range = position(first).unwrap_or(0)..=position(last).unwrap_or(0);
            SETTINGS[range].iter().map(|setting| setting.name).collect()
        }
    }
}
