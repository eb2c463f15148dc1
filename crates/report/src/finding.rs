//! One finding, in the shape that every output and every later run agrees on.

use crate::rules::UNCHECKED_RESULT;
use serde::{Deserialize, Serialize};

/// Something the code contradicts itself about, at the place a person would change. The fields and their
/// order are the stable JSON form; a list of findings is ordered by file, line, column and rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Finding {
    pub rule: String,
    pub severity: Severity,
    /// A recognised kind of noise (`macro`, `config`, ...) or null.
    pub class: Option<String>,
    /// The analyses that reached it, sorted.
    pub analyses: Vec<String>,
    pub function: String,
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    /// Behind the last character. Columns count bytes from 1, as clang does.
    pub end_column: u32,
    pub message: String,
    /// The other places that take part.
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

/// The order of every output. A place in a header is seen by many units: findings that agree in place, rule and
/// message are one. It is noise if it is noise to any of them.
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

/// A function whose result may be NULL is often used carelessly at many calls: that is one finding, with the
/// other places (papers/semantic-inconsistency-inference, section 6). Such findings have one fingerprint.
/// `findings` are sorted.
pub fn once_per_giver(findings: &mut Vec<Finding>) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_finding_of_a_header_is_one_finding() {
        let noise = Finding { class: Some("config".into()), ..sample::finding() };
        let other = Finding { message: "another".into(), ..sample::finding() };
        let mut findings = vec![sample::finding(), noise.clone(), other.clone(), sample::finding()];
        sort(&mut findings);
        assert_eq!(findings, [noise, other]);
    }
}
