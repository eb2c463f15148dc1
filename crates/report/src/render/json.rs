//! One JSON object per run: `{"version", "findings", "coverage"}`.

use crate::coverage::Coverage;
use crate::finding::Finding;
use crate::visible::visible_json;
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
    visible_json(&Report { version, findings, coverage }, out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn text(findings: &[Finding]) -> String {
        let mut out = Vec::new();
        write("1", findings, &Coverage::default(), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_form_is_stable() {
        insta::assert_snapshot!(text(&[sample::finding()]));
    }

    #[test]
    fn the_fields_are_the_promised_ones() {
        let json: serde_json::Value = serde_json::from_str(&text(&[sample::finding()])).unwrap();
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
            "boundary_unconfirmed calls calls_unknown consistent cut_short_units edges_undecided entries_skipped \
             erroneous_units failed_units functions functions_given_up functions_undecided gaps given_up hidden \
             inconsistent loops partial solver_failures units units_cut_short units_failed units_with_errors"
        );
    }
}
