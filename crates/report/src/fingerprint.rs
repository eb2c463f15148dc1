//! Identities of findings that survive edits elsewhere: they depend on no line numbers, paths or machine.

use crate::finding::Finding;
use std::collections::BTreeMap;

/// The identity of a finding: its rule, its function and the texts of the conflicting statements without their layout.
/// [`number_repeats`] distinguishes findings that agree in all three.
pub fn fingerprint(rule: &str, function: &str, statements: &[String]) -> String {
    let statements: Vec<String> = statements.iter().map(|text| without_layout(text)).collect();
    let mut parts = vec![rule, function];
    parts.extend(statements.iter().map(String::as_str));
    stable_hash(&parts)
}

/// Makes equal fingerprints different: the second ends in `:2`, and so on. Call it with all findings of a run in their
/// final order, including hidden ones, so that `--show` changes nothing.
pub fn number_repeats(findings: &mut [Finding]) {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for finding in findings {
        let count = seen.entry(finding.fingerprint.clone()).or_default();
        *count += 1;
        if *count > 1 {
            finding.fingerprint.push_str(&format!(":{count}"));
        }
    }
}

/// 32 hexadecimal digits (FNV-1a, 128 bits) that are the same on every machine and in every version of gainsay.
pub fn stable_hash(parts: &[&str]) -> String {
    // not a limit: constants of FNV-1a
    const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let mut hash = OFFSET;
    for part in parts {
        // UTF-8 has no byte 0xff, so the boundaries of the parts count.
        for byte in part.bytes().chain([0xff]) {
            hash = (hash ^ u128::from(byte)).wrapping_mul(PRIME);
        }
    }
    format!("{hash:032x}")
}

/// Without white space, but for one space where two words would run together.
fn without_layout(text: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut result = String::with_capacity(text.len());
    for piece in text.split_whitespace() {
        if result.ends_with(is_word) && piece.starts_with(is_word) {
            result.push(' ');
        }
        result.push_str(piece);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn of(function: &str, statements: &[&str]) -> String {
        fingerprint("r", function, &statements.iter().map(|&text| text.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn layout_does_not_matter_and_everything_else_does() {
        assert_eq!(of("f", &["if (!p)", "*p = 1"]), of("f", &["if ( ! p )", "\t*p=\n1"]));
        let all = [
            of("f", &["if (!p)", "*p = 1"]),
            of("g", &["if (!p)", "*p = 1"]),
            of("f", &["*p = 1", "if (!p)"]),
            of("f", &["if (!p)*p = 1"]),
            of("fi", &["f (!p)", "*p = 1"]),
            of("f", &["unsigned int x"]),
            of("f", &["unsignedint x"]),
        ];
        for (i, a) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|b| a != b), "{i}");
        }
    }

    #[test]
    fn the_hash_never_changes() {
        // Baselines of users hold such values: a change of this one breaks them all.
        assert_eq!(of("f", &["if (!p)", "*p = 1"]), "192411372a39fa2552c340756fe4db58");
    }

    #[test]
    fn repeats_are_numbered() {
        let mut findings = vec![sample::finding(), sample::finding(), sample::finding()];
        findings[1].fingerprint = "other".into();
        number_repeats(&mut findings);
        let ends: Vec<bool> = findings.iter().map(|f| f.fingerprint.ends_with(":2")).collect();
        assert_eq!(ends, [false, false, true]);
    }
}
