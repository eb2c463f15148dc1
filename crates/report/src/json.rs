//! One JSON object per run: `{"version", "findings", "coverage"}`.

use crate::coverage::Coverage;
use crate::finding::Finding;
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
struct Report<'a> {
    /// Of gainsay.
    version: &'a str,
    findings: &'a [Finding],
    coverage: &'a Coverage,
}

pub fn write(
    version: &str,
    findings: &[Finding],
    coverage: &Coverage,
    out: &mut dyn Write,
) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &Report { version, findings, coverage })?;
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Related, Severity};

    #[test]
    fn the_fields_are_the_promised_ones() {
        let finding = Finding {
            rule: "dead".into(),
            severity: Severity::Warning,
            class: None,
            analyses: vec!["reach".into()],
            function: "f".into(),
            file: "a.c".into(),
            line: 1,
            column: 2,
            end_line: 3,
            end_column: 4,
            message: "m".into(),
            related: vec![Related { file: "b.c".into(), line: 5, column: 6, message: "n".into() }],
            fingerprint: "00".into(),
        };
        let mut out = Vec::new();
        write("1", &[finding], &Coverage::default(), &mut out).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&out).unwrap();
        let keys = |value: &serde_json::Value| {
            let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
            keys.sort();
            keys.join(" ")
        };
        assert_eq!(keys(&json), "coverage findings version");
        assert_eq!(
            keys(&json["findings"][0]),
            "analyses class column end_column end_line file fingerprint function line message related rule severity"
        );
        assert_eq!(keys(&json["findings"][0]["related"][0]), "column file line message");
        assert_eq!(json["findings"][0]["severity"], "warning");
        assert!(json["findings"][0]["class"].is_null());
        assert_eq!(
            keys(&json["coverage"]),
            "entries_skipped erroneous_units failed_units functions functions_given_up gaps given_up partial units units_failed \
             units_with_errors"
        );
    }
}
