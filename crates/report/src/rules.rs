//! The table of rules. A rule is a row here and a page `docs/rules/<id>.md`.

use crate::finding::Severity;

/// What a finding can be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    pub id: &'static str,
    pub severity: Severity,
    /// A few words.
    pub title: &'static str,
    /// One sentence.
    pub description: &'static str,
    /// Numbers of the weaknesses (CWE) that such findings are instances of; named in [`WEAKNESSES`].
    pub cwe: &'static [u32],
    /// How often such findings are right, in the terms of code-scanning services.
    pub precision: &'static str,
    /// The text of its page, in Markdown.
    pub page: &'static str,
}

/// Reported once for each function whose result is not tested.
pub const UNCHECKED_RESULT: &str = "unchecked-result";
pub const EVIDENT_ERROR: &str = "evident-error";

/// Sorted by id.
pub const RULES: &[Rule] = &[
    Rule {
        id: "boundary-error",
        severity: Severity::Warning,
        title: "Boundary value always fails",
        description: "The outermost value that a comparison lets through always leads to an error.",
        cwe: &[193, 125, 787],
        precision: PROVED,
        page: include_str!("../../../docs/rules/boundary-error.md"),
    },
    Rule {
        id: "checked-too-late",
        severity: Severity::Warning,
        title: "Checked too late",
        description: "A condition tests for something that would already have made an earlier statement fail.",
        cwe: &[476, 369, 125, 787, 416],
        precision: PROVED,
        page: include_str!("../../../docs/rules/checked-too-late.md"),
    },
    Rule {
        id: "contradictory-condition",
        severity: Severity::Warning,
        title: "Contradictory condition",
        description: "A branch can never be taken, because the conditions on the way to it contradict each other.",
        cwe: &[561, 570, 571],
        precision: PROVED,
        page: include_str!("../../../docs/rules/contradictory-condition.md"),
    },
    Rule {
        id: "contradictory-contract",
        severity: Severity::Warning,
        title: "Contradictory contract",
        description: "No run can keep an annotation: a contract that nobody can fulfil, or an invariant that makes code dead.",
        cwe: &[561, 570],
        precision: PROVED,
        page: include_str!("../../../docs/rules/contradictory-contract.md"),
    },
    Rule {
        id: "endless",
        severity: Severity::Warning,
        title: "Endless execution",
        description: "Whoever takes this branch never reaches the end of the function.",
        cwe: &[835],
        precision: PROVED,
        page: include_str!("../../../docs/rules/endless.md"),
    },
    Rule {
        id: EVIDENT_ERROR,
        severity: Severity::Warning,
        title: "Evident error",
        description: "A path leads to an error, and the tests in the code show that inputs which take it are expected.",
        cwe: &[476, 369, 125, 787, 416, 415, 457, 617],
        precision: BELIEVED,
        page: include_str!("../../../docs/rules/evident-error.md"),
    },
    Rule {
        id: "fatal-branch",
        severity: Severity::Error,
        title: "Fatal branch",
        description: "Whoever takes this branch is certain to run into an error later on.",
        cwe: &[476, 369, 125, 787, 416, 415, 457, 617],
        precision: PROVED,
        page: include_str!("../../../docs/rules/fatal-branch.md"),
    },
    Rule {
        id: "inconsistent-lock",
        severity: Severity::Warning,
        title: "Locked or unlocked twice",
        description: "A lock that is locked on one way is locked again on another that a run can take afterwards, or unlocked twice.",
        cwe: &[764, 765],
        precision: BELIEVED,
        page: include_str!("../../../docs/rules/inconsistent-lock.md"),
    },
    Rule {
        id: "inconsistent-null",
        severity: Severity::Warning,
        title: "Tested here, used untested there",
        description: "A pointer is tested for NULL before one use, and another use of the same pointer has no test.",
        cwe: &[476],
        precision: BELIEVED,
        page: include_str!("../../../docs/rules/inconsistent-null.md"),
    },
    Rule {
        id: "inconsistent-zero",
        severity: Severity::Warning,
        title: "Divisor tested here, untested there",
        description: "A number is tested for zero before one division by it, and another division by the same number has no test.",
        cwe: &[369],
        precision: BELIEVED,
        page: include_str!("../../../docs/rules/inconsistent-zero.md"),
    },
    Rule {
        id: "null-source",
        severity: Severity::Warning,
        title: "NULL comes to a use",
        description: "A pointer that was set to NULL can come to a place where it is used as if it were not.",
        cwe: &[476],
        precision: BELIEVED,
        page: include_str!("../../../docs/rules/null-source.md"),
    },
    Rule {
        id: UNCHECKED_RESULT,
        severity: Severity::Warning,
        title: "Result not tested, as elsewhere",
        description: "The pointer that a function gives back is used untested, although the function can return NULL and nearly all other calls test for that.",
        cwe: &[476, 252],
        precision: BELIEVED,
        page: include_str!("../../../docs/rules/unchecked-result.md"),
    },
    Rule {
        id: "use-after-free",
        severity: Severity::Warning,
        title: "Used after it can have been freed",
        description: "A pointer that is freed on one way is used, or freed again, on another that a run can take afterwards.",
        cwe: &[416, 415],
        precision: BELIEVED,
        page: include_str!("../../../docs/rules/use-after-free.md"),
    },
];

/// Findings that follow from a proof over all executions.
const PROVED: &str = "very-high";

/// Findings that rest on what the code suggests.
const BELIEVED: &str = "high";

/// The weaknesses named by rules, sorted by number.
pub const WEAKNESSES: &[(u32, &str)] = &[
    (125, "Out-of-bounds Read"),
    (193, "Off-by-one Error"),
    (252, "Unchecked Return Value"),
    (369, "Divide By Zero"),
    (415, "Double Free"),
    (416, "Use After Free"),
    (457, "Use of Uninitialized Variable"),
    (476, "NULL Pointer Dereference"),
    (561, "Dead Code"),
    (570, "Expression is Always False"),
    (571, "Expression is Always True"),
    (617, "Reachable Assertion"),
    (764, "Multiple Locks of a Critical Resource"),
    (765, "Multiple Unlocks of a Critical Resource"),
    (787, "Out-of-bounds Write"),
    (835, "Loop with Unreachable Exit Condition ('Infinite Loop')"),
];

/// The row of a rule.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_complete() {
        assert!(RULES.is_sorted_by_key(|rule| rule.id));
        assert!(WEAKNESSES.is_sorted_by_key(|weakness| weakness.0));
        for rule in RULES {
            assert!(rule.page.starts_with(&format!("# {}\n", rule.id)), "{}", rule.id);
            // Code-scanning services truncate longer descriptions.
            assert!(rule.description.len() <= 1024 && rule.cwe.len() <= 9, "{}", rule.id);
            let named = |cwe: &u32| WEAKNESSES.iter().any(|weakness| weakness.0 == *cwe);
            assert!(rule.cwe.iter().all(named), "{}", rule.id);
        }
        assert!(WEAKNESSES.iter().all(|(cwe, _)| RULES.iter().any(|rule| rule.cwe.contains(cwe))));
    }
}
