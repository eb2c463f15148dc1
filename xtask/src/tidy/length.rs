//! Long source files must be split; tests may be long.

use super::repository::{self, Complaint, Repository};

const MOST_LINES: usize = 800;

pub(super) fn check(repository: &Repository) -> Vec<Complaint> {
    let sources =
        repository.files().filter(|(name, _)| repository::is_source(name) && !repository::is_test(name));
    let long = sources.filter_map(|(name, text)| {
        let lines = text.lines().count();
        (lines > MOST_LINES)
            .then(|| Complaint::in_file(name, format!("{lines} lines; the limit is {MOST_LINES}: split it")))
    });
    long.collect()
}

#[cfg(test)]
mod tests {
    use super::super::repository::complaints;
    use super::*;

    #[test]
    fn only_tests_may_be_long() {
        let long = "x\n".repeat(MOST_LINES + 1);
        for name in ["xtask/src/a.rs", "crates/ir/src/a.rs", "crates/frontend/cpp/a.cpp"] {
            assert_eq!(complaints(check, &[(name, &long)]).len(), 1, "{name}");
        }
        for name in ["crates/ir/tests/a.rs", "crates/ir/src/interp/tests.rs", "docs/a.md"] {
            assert!(complaints(check, &[(name, &long)]).is_empty(), "{name}");
        }
        assert!(complaints(check, &[("xtask/src/a.rs", &"x\n".repeat(MOST_LINES))]).is_empty());
    }
}
