//! Every source file begins with a comment that says why it exists.

use super::repository::{self, Complaint, Repository};

/// The comment must begin within this many lines.
const LINES: usize = 3;

pub(super) fn check(repository: &Repository) -> Vec<Complaint> {
    let sources = repository.files().filter(|(name, _)| repository::is_source(name));
    let without = sources.filter_map(|(name, text)| {
        let comment = if name.ends_with(".rs") { "//!" } else { "//" };
        let has_comment = text.lines().take(LINES).any(|line| line.starts_with(comment));
        (!has_comment).then(|| {
            Complaint::in_file(
                name,
                format!("no `{comment}` comment at the top that says why the file exists"),
            )
        })
    });
    without.collect()
}

#[cfg(test)]
mod tests {
    use super::super::repository::complaints;
    use super::*;

    #[test]
    fn a_comment_must_be_near_the_top() {
        for (name, text) in [
            ("crates/ir/src/a.rs", "//! Why.\n"),
            ("crates/frontend/cpp/a.cpp", "// Why.\n"),
            ("crates/cli/tests/data/a.h", "int x;\n"),
            ("docs/a.md", "x\n"),
        ] {
            assert!(complaints(check, &[(name, text)]).is_empty(), "{name}");
        }
        for (name, text) in [
            ("crates/ir/src/a.rs", "use x;\n\n\n//! Why.\n"),
            ("crates/ir/tests/a.rs", "// Why.\n"),
            ("crates/frontend/cpp/a.h", "#pragma once\n"),
        ] {
            assert_eq!(complaints(check, &[(name, text)]).len(), 1, "{name}");
        }
    }
}
