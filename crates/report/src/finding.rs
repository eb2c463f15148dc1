//! One finding, in the shape that every output and every later run agrees on.

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

/// The order of every output. Findings that agree in everything but the unit they were seen in are one.
pub fn sort(findings: &mut Vec<Finding>) {
    findings.sort_by(|a, b| {
        let key = |f: &Finding| (f.file.clone(), f.line, f.column, f.rule.clone());
        key(a).cmp(&key(b)).then_with(|| a.cmp(b))
    });
    findings.dedup();
}
