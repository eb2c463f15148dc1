//! For people and editors: `file:line:col: severity: message [rule]`, then a summary that never calls an
//! analysis clean that did not happen.

use crate::coverage::Coverage;
use crate::finding::Finding;
use std::io::{self, Write};

/// The findings, each followed by its notes.
pub fn write(findings: &[Finding], out: &mut dyn Write) -> io::Result<()> {
    for f in findings {
        let (severity, message, rule) = (f.severity.name(), &f.message, &f.rule);
        writeln!(out, "{}:{}:{}: {severity}: {message} [{rule}]", f.file, f.line, f.column)?;
        for note in &f.related {
            writeln!(out, "{}:{}:{}: note: {}", note.file, note.line, note.column, note.message)?;
        }
    }
    Ok(())
}

/// How many entries of each list are shown before the rest is only counted.
const SHOWN: usize = 10;

/// What was not analysed and why, then one sentence for the whole run. `analyses` names those that ran.
pub fn summary(
    coverage: &Coverage,
    findings: usize,
    analyses: &[&str],
    out: &mut dyn Write,
) -> io::Result<()> {
    let failed =
        coverage.failed_units.iter().map(|unit| format!("{}: not analysed: {}", unit.file, unit.reason));
    list(failed, "not analysed", out)?;
    let errors = coverage
        .erroneous_units
        .iter()
        .map(|unit| format!("{}: does not compile, analysed as far as possible: {}", unit.file, unit.reason));
    list(errors, "that do not compile", out)?;
    let given_up = coverage.functions_given_up.iter().map(|gone| {
        format!("{}:{}: function {} given up: {}", gone.file, gone.line, gone.function, gone.reason)
    });
    list(given_up, "given up", out)?;
    if !coverage.gaps.is_empty() {
        let gaps: Vec<String> = coverage.gaps.iter().map(|(kind, n)| format!("{kind} {n}")).collect();
        writeln!(out, "gainsay: not modelled exactly: {}", gaps.join(", "))?;
    }
    if coverage.entries_skipped != 0 {
        let skipped = count(coverage.entries_skipped, "command");
        writeln!(out, "gainsay: {skipped} of the compile database skipped: not C")?;
    }
    if coverage.partial {
        writeln!(out, "gainsay: interrupted: this is a partial result")?;
    }
    let lowered = coverage.functions - coverage.given_up;
    let files = coverage.units - coverage.units_failed;
    write!(
        out,
        "gainsay: {} in {} lowered, {} given up",
        count(lowered, "function"),
        count(files, "file"),
        coverage.given_up
    )?;
    if coverage.units_failed != 0 {
        write!(out, ", {} not analysed", count(coverage.units_failed, "file"))?;
    }
    if analyses.is_empty() {
        writeln!(out, "; no analysis is built in yet, so nothing was checked")
    } else if lowered == 0 {
        writeln!(out, "; there was nothing to check")
    } else {
        writeln!(out, "; checked by {}: {}", analyses.join(", "), count(findings as u64, "finding"))
    }
}

fn list(lines: impl ExactSizeIterator<Item = String>, what: &str, out: &mut dyn Write) -> io::Result<()> {
    let more = lines.len().saturating_sub(SHOWN);
    for line in lines.take(SHOWN) {
        writeln!(out, "{line}")?;
    }
    if more != 0 {
        writeln!(out, "gainsay: and {more} more {what}; --format json lists them all")?;
    }
    Ok(())
}

fn count(n: u64, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::UnitNote;

    fn text(coverage: &Coverage, analyses: &[&str]) -> String {
        let mut out = Vec::new();
        summary(coverage, 0, analyses, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn nothing_checked_is_not_called_clean() {
        let coverage = Coverage { units: 1, functions: 2, ..Coverage::default() };
        assert_eq!(
            text(&coverage, &[]),
            "gainsay: 2 functions in 1 file lowered, 0 given up; no analysis is built in yet, so nothing was checked\n"
        );
        let coverage = Coverage { units: 1, functions: 1, given_up: 1, ..Coverage::default() };
        assert!(text(&coverage, &["reach"]).ends_with("1 given up; there was nothing to check\n"));
    }

    #[test]
    fn long_lists_are_cut_and_counted() {
        let note = |i: usize| UnitNote { file: format!("{i}.c"), reason: "gone".into() };
        let failed_units: Vec<UnitNote> = (0..13).map(note).collect();
        let text = text(&Coverage { units: 13, units_failed: 13, failed_units, ..Coverage::default() }, &[]);
        assert!(text.contains("9.c: not analysed: gone\ngainsay: and 3 more not analysed;"), "{text}");
        assert!(!text.contains("10.c"));
    }
}
