//! Findings in the form that all outputs and later runs share.

use crate::rules::{EVIDENT_ERROR, UNCHECKED_RESULT};
use serde::{Deserialize, Serialize};

/// A contradiction in the code, at the place that should be changed. The fields and their order are the stable JSON form;
/// a list of findings is ordered by file, line, column and rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Finding {
    pub rule: String,
    pub severity: Severity,
    /// A noise class (`macro`, `config`, ...) or null.
    pub class: Option<String>,
    /// The analyses that found it, sorted.
    pub analyses: Vec<String>,
    pub function: String,
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    /// After the last character. Columns count bytes from 1, as in clang.
    pub end_column: u32,
    pub message: String,
    /// The other places of the contradiction.
    pub related: Vec<Related>,
    /// Stays the same when lines move or files are renamed.
    pub fingerprint: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Error,
    Warning,
    Note,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Related {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub message: String,
}

impl Severity {
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// Sorts findings into the order of every output. Units that share a header report the same finding: findings with equal
/// place, rule and message become one, which is noise if it is noise in any unit.
pub fn sort(findings: &mut Vec<Finding>) {
    fn key(f: &Finding) -> (&str, u32, u32, &str, &str) {
        (&f.file, f.line, f.column, &f.rule, &f.message)
    }
    findings.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| a.cmp(b)));
    findings.dedup_by(|again, first| {
        let same = key(again) == key(first);
        if same {
            first.class = first.class.take().or_else(|| again.class.take());
            first.analyses.append(&mut again.analyses);
            first.analyses.sort();
            first.analyses.dedup();
        }
        same
    });
}

/// Many calls may use the result of one function without a test for NULL. They become one finding with related places (semantic inconsistency inference, section 6). Such findings have one fingerprint.
/// `findings` are sorted.
pub fn once_per_producer(findings: &mut Vec<Finding>) {
    let mut kept: Vec<Finding> = Vec::new();
    for finding in findings.drain(..) {
        let is_same = |first: &&mut Finding| {
            first.rule == UNCHECKED_RESULT
                && finding.rule == UNCHECKED_RESULT
                && first.fingerprint == finding.fingerprint
        };
        match kept.iter_mut().find(is_same) {
            Some(first) => first.related.push(Related {
                file: finding.file,
                line: finding.line,
                column: finding.column,
                message: format!("likewise in `{}`", finding.function),
            }),
            None => kept.push(finding),
        }
    }
    *findings = kept;
}

/// An error is reported in the callee if the callee has the evidence, and not again in its callers
/// (evidence-based analysis, section 5: results of lower layers override): a finding
/// whose chain of calls leads to a place that is reported in another function is dropped.
pub fn once_for_callers(findings: &mut Vec<Finding>) {
    let is_by_evidence = |finding: &&Finding| finding.analyses.iter().any(|name| name == "evidence");
    let mut reported: Vec<(String, u32, u32, String)> = Vec::new();
    for finding in findings.iter().filter(is_by_evidence) {
        let name = finding.function.clone();
        reported.push((finding.file.clone(), finding.line, finding.column, name.clone()));
        // If `reach` found it too, its place is the branch, and the check is among the related places.
        if finding.rule != EVIDENT_ERROR {
            let others = finding.related.iter();
            reported.extend(others.map(|one| (one.file.clone(), one.line, one.column, name.clone())));
        }
    }
    reported.sort();
    let is_reported = |finding: &Finding, at: &Related| {
        reported.iter().any(|(file, line, column, function)| {
            (file, *line, *column) == (&at.file, at.line, at.column) && *function != finding.function
        })
    };
    findings.retain(|finding| {
        finding.rule != EVIDENT_ERROR || !finding.related.iter().any(|at| is_reported(finding, at))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_finding_in_a_header_is_reported_once() {
        let noise = Finding { class: Some("config".into()), ..sample::finding() };
        let other = Finding { message: "another".into(), ..sample::finding() };
        let mut findings = vec![sample::finding(), noise.clone(), other.clone(), sample::finding()];
        sort(&mut findings);
        assert_eq!(findings, [noise, other]);
    }
}
