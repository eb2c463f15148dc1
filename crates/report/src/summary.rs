//! The summary of a run on standard error: what was not analysed and why, and one sentence with the totals. A run that
//! analysed nothing is never called clean.

use crate::coverage::Coverage;
use crate::limits::LISTED_ENTRIES;
use crate::visible::visible;
use std::io::{self, Write};

/// Writes what was not analysed and why, then one sentence for the whole run. `analyses` are the names of those that ran,
/// `findings` is the number of visible ones.
pub fn write(coverage: &Coverage, findings: usize, analyses: &[&str], out: &mut dyn Write) -> io::Result<()> {
    let failed =
        coverage.failed_units.iter().map(|unit| format!("{}: not analysed: {}", unit.file, unit.reason));
    list(failed, "not analysed", out)?;
    let cut_short = coverage
        .cut_short_units
        .iter()
        .map(|unit| format!("{}: partial result: the unit {}", unit.file, unit.reason));
    list(cut_short, "with a partial result", out)?;
    list(coverage.failing_solvers.iter().map(|solver| format!("gainsay: {solver}")), "that failed", out)?;
    let errors = coverage
        .erroneous_units
        .iter()
        .map(|unit| format!("{}: does not compile; analysed as far as possible: {}", unit.file, unit.reason));
    list(errors, "that do not compile", out)?;
    let given_up = coverage
        .functions_given_up
        .iter()
        .map(|one| format!("{}:{}: function {} given up: {}", one.file, one.line, one.function, one.reason));
    list(given_up, "given up", out)?;
    let too_large = coverage
        .without_evidence
        .iter()
        .map(|one| format!("{}:{}: function {}: {}", one.file, one.line, one.function, one.reason));
    list(too_large, "too large for evidence", out)?;
    if !coverage.gaps.is_empty() {
        let gaps: Vec<String> = coverage.gaps.iter().map(|(kind, n)| format!("{kind} {n}")).collect();
        writeln!(out, "gainsay: not modelled exactly: {}", gaps.join(", "))?;
    }
    if coverage.entries_skipped != 0 {
        let skipped = count(coverage.entries_skipped, "command", "commands");
        writeln!(out, "gainsay: {skipped} of the compile database skipped: not C")?;
    }
    if coverage.partial {
        writeln!(out, "gainsay: interrupted: this is a partial result")?;
    }
    writeln!(out, "gainsay: {}", sentence(coverage, findings, analyses))
}

fn sentence(coverage: &Coverage, findings: usize, analyses: &[&str]) -> String {
    let functions = count(coverage.functions, "function", "functions");
    let files = count(coverage.units - coverage.units_failed, "file", "files");
    let failed = match coverage.units_failed {
        0 => String::new(),
        n => format!(", {} not analysed", count(n, "file", "files")),
    };
    let cut_short = match coverage.units_cut_short {
        0 => String::new(),
        n => format!(", {} only in part", count(n, "file", "files")),
    };
    let failed = format!("{failed}{cut_short}");
    if coverage.functions == coverage.given_up {
        let result =
            if coverage.is_void() { "nothing could be checked" } else { "there was nothing to check" };
        return format!("{functions} in {files}, {} given up{failed}; {result}", coverage.given_up);
    }
    let undecided = match coverage.functions_undecided {
        0 => String::new(),
        n => format!("{n} undecided, "),
    };
    // Undecided branches of inconsistent functions appear nowhere else in the sentence.
    let edges = match coverage.edges_undecided {
        0 => String::new(),
        n => format!(", {} undecided", count(n, "branch", "branches")),
    };
    format!(
        "{functions} in {files} analysed by {}: {} consistent, {} inconsistent, {undecided}{} given up{failed}{edges}; {}{}",
        analyses.join(", "),
        coverage.consistent,
        coverage.inconsistent,
        coverage.given_up,
        count(findings as u64, "finding", "findings"),
        hidden(coverage)
    )
}

/// How many findings of each noise class are hidden, the most frequent first, and how to show them.
fn hidden(coverage: &Coverage) -> String {
    let mut classes: Vec<(&str, u64)> =
        coverage.hidden.iter().map(|(class, n)| (class.as_str(), *n)).collect();
    if classes.is_empty() {
        return String::new();
    }
    classes.sort_by_key(|(class, n)| (std::cmp::Reverse(*n), *class));
    let all: u64 = classes.iter().map(|(_, n)| n).sum();
    let counts: Vec<String> = classes.iter().map(|(class, n)| format!("{class} {n}")).collect();
    let names: Vec<&str> = classes.iter().map(|(class, _)| *class).collect();
    let them = if all == 1 { "it" } else { "them" };
    format!("; {all} hidden ({}); --show={} shows {them}", counts.join(", "), names.join(","))
}

fn list(lines: impl ExactSizeIterator<Item = String>, what: &str, out: &mut dyn Write) -> io::Result<()> {
    let more = lines.len().saturating_sub(LISTED_ENTRIES);
    for line in lines.take(LISTED_ENTRIES) {
        writeln!(out, "{}", visible(&line))?;
    }
    if more != 0 {
        writeln!(out, "gainsay: and {more} more {what}; --format json lists them all")?;
    }
    Ok(())
}

fn count(n: u64, singular: &str, plural: &str) -> String {
    format!("{n} {}", if n == 1 { singular } else { plural })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::{SolverUse, UnitNote};
    use std::collections::BTreeMap;

    fn text(coverage: &Coverage, analyses: &[&str]) -> String {
        let mut out = Vec::new();
        write(coverage, 3, analyses, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn nothing_checked_is_not_called_clean() {
        let coverage = Coverage { units: 1, functions: 1, given_up: 1, ..Coverage::default() };
        assert!(text(&coverage, &["reach"]).ends_with("1 given up; nothing could be checked\n"));
        let coverage = Coverage { units: 1, ..Coverage::default() };
        assert!(text(&coverage, &["reach"]).ends_with("; there was nothing to check\n"));
    }

    #[test]
    fn the_sentence_accounts_for_every_function() {
        let mut coverage =
            Coverage { units: 3, functions: 120, consistent: 117, inconsistent: 3, ..Coverage::default() };
        assert_eq!(
            text(&coverage, &["reach"]),
            "gainsay: 120 functions in 3 files analysed by reach: 117 consistent, 3 inconsistent, 0 given up; 3 findings\n"
        );
        coverage.hidden = BTreeMap::from([("config".into(), 4), ("macro".into(), 8)]);
        coverage.units_failed = 1;
        coverage.consistent = 115;
        coverage.functions_undecided = 2;
        coverage.edges_undecided = 5;
        assert_eq!(
            text(&coverage, &["reach"]),
            "gainsay: 120 functions in 2 files analysed by reach: 115 consistent, 3 inconsistent, 2 undecided, 0 given up, \
             1 file not analysed, 5 branches undecided; 3 findings; 12 hidden (macro 8, config 4); --show=macro,config shows them\n"
        );
    }

    #[test]
    fn partial_results_and_failing_solvers_are_named() {
        let coverage = Coverage {
            units: 1,
            functions: 2,
            consistent: 1,
            given_up: 1,
            units_cut_short: 1,
            cut_short_units: vec![UnitNote { file: "a\x1bb.c".into(), reason: "took long".into() }],
            failing_solvers: vec![SolverUse {
                solver: "/x/z3".into(),
                is_broken: false,
                asked: 5,
                failed: 2,
                reason: "it died".into(),
            }],
            ..Coverage::default()
        };
        assert_eq!(
            text(&coverage, &["reach"]),
            "a\\x1bb.c: partial result: the unit took long\n\
             gainsay: the solver /x/z3 failed on 2 of 5 questions: it died\n\
             gainsay: 2 functions in 1 file analysed by reach: 1 consistent, 0 inconsistent, 1 given up, 1 file only in part; 3 findings\n"
        );
    }

    #[test]
    fn long_lists_are_cut_and_counted() {
        let note = |i: usize| UnitNote { file: format!("{i}.c"), reason: "gone".into() };
        let failed_units: Vec<UnitNote> = (0..13).map(note).collect();
        let text =
            text(&Coverage { units: 13, units_failed: 13, failed_units, ..Coverage::default() }, &["reach"]);
        assert!(text.contains("9.c: not analysed: gone\ngainsay: and 3 more not analysed;"), "{text}");
        assert!(!text.contains("10.c"));
    }
}
