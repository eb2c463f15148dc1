//! Every limit is a row of its crate's `limits.rs`, with unit, reason and measurement in its comment:
//!
//! ```text
//! /// Unit: blocks.
//! /// Reason: cost grows with the square of the number of blocks.
//! /// Measured: bench branches, 2026-03-01: 4 % of the CPU time at 300, 21 % at 600.
//! pub const MOST_BLOCKS: usize = 300;
//! ```
//!
//! A number elsewhere that is not a limit (an exit code, a flag, a file format) has `// not a limit: reason` on the line
//! before it. The note also covers the constants that follow without an empty line.

use super::repository::{Complaint, Repository, is_test, without_tests};

const PARTS: [&str; 3] = ["Unit:", "Reason:", "Measured:"];
const NOT_A_LIMIT: &str = "// not a limit: ";
const NUMBERS: &[&str] = &[
    "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64",
    "Duration", "Budget",
];

pub(super) fn check(repository: &Repository) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (name, text) in repository.matching("crates/", ".rs") {
        if !name.contains("/src/") || is_test(name) {
            continue;
        }
        let lines: Vec<&str> = without_tests(text).lines().map(str::trim).collect();
        let is_table = name.ends_with("/limits.rs");
        complaints.extend(if is_table {
            incomplete_rows(name, &lines)
        } else {
            numbers_elsewhere(name, &lines)
        });
    }
    complaints
}

/// Limits whose comment lacks a part.
fn incomplete_rows(name: &str, lines: &[&str]) -> Vec<Complaint> {
    let rows = lines.iter().enumerate().filter_map(|(number, line)| Some((number, constant(line)?.0)));
    let incomplete = rows.filter_map(|(number, constant)| {
        let comment = comment_before(lines, number);
        let missing: Vec<&str> = PARTS.into_iter().filter(|part| !has_part(&comment, part)).collect();
        (!missing.is_empty()).then(|| {
            Complaint::at(name, number, format!("{constant}: no `{}` in its comment", missing.join("`, `")))
        })
    });
    incomplete.collect()
}

/// The text of the doc comment before this line, attributes skipped.
fn comment_before(lines: &[&str], number: usize) -> String {
    let above =
        lines[..number].iter().rev().take_while(|line| line.starts_with("///") || line.starts_with("#["));
    let mut comment: Vec<&str> = above.filter_map(|line| line.strip_prefix("///")).collect();
    comment.reverse();
    comment.join("\n")
}

/// Whether the part is followed by text.
fn has_part(comment: &str, part: &str) -> bool {
    let Some((_, rest)) = comment.split_once(part) else { return false };
    let next = PARTS.iter().filter_map(|other| rest.find(other)).min().unwrap_or(rest.len());
    rest[..next].chars().any(char::is_alphanumeric)
}

/// Numeric constants without a note.
fn numbers_elsewhere(name: &str, lines: &[&str]) -> Vec<Complaint> {
    let mut is_noted = false;
    let mut complaints = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        if let Some(reason) = line.strip_prefix(NOT_A_LIMIT) {
            is_noted = !reason.is_empty();
        } else if line.is_empty() {
            is_noted = false;
        } else if let Some((constant, kind)) = constant(line)
            && NUMBERS.contains(&kind)
            && !is_noted
        {
            let what =
                format!("{constant} is a number outside of limits.rs, without `{}REASON`", NOT_A_LIMIT);
            complaints.push(Complaint::at(name, number, what));
        }
    }
    complaints
}

/// Name and type of the constant that is defined on this line.
fn constant(line: &str) -> Option<(&str, &str)> {
    let rest = match line.strip_prefix("pub") {
        Some(rest) => {
            rest.strip_prefix('(').map_or(rest, |inner| inner.split_once(')').map_or(inner, |(_, rest)| rest))
        }
        None => line,
    };
    let (name, rest) = rest.trim_start().strip_prefix("const ")?.split_once(':')?;
    let (kind, _) = rest.split_once('=')?;
    Some((name.trim(), kind.trim().rsplit("::").next()?))
}

#[cfg(test)]
mod tests {
    use super::super::repository::complaints;
    use super::*;

    #[test]
    fn a_row_needs_unit_reason_and_measurement() {
        let table = |text: &str| complaints(check, &[("crates/ir/src/limits.rs", text)]);
        let good = "/// Blocks of a function.\n/// Unit: blocks. Reason: quadratic cost.\n/// Measured: 4 %.\n#[rustfmt::skip]\npub const A: usize = 1;\n";
        assert!(table(good).is_empty());
        assert_eq!(table("pub const A: usize = 1;\n").len(), 1);
        let incomplete = table(&good.replace("Measured: 4 %.", "Measured:"));
        assert_eq!(incomplete, ["crates/ir/src/limits.rs:5: A: no `Measured:` in its comment"]);
        assert_eq!(table(&good.replace("Unit: blocks. ", "Unit: ")).len(), 1);
        assert_eq!(
            table("/// Unit: a. Reason: b. Measured: c.\nconst A: u8 = 1;\n\nconst B: u8 = 2;\n").len(),
            1
        );
    }

    #[test]
    fn numbers_elsewhere_need_a_note() {
        let elsewhere = |text: &str| complaints(check, &[("crates/ir/src/a.rs", text)]);
        for text in [
            "const A: usize = 1;",
            "    pub(crate) const A: std::time::Duration = X;",
            "pub const A: f64 = 1.;",
            "const A: Budget = Budget::new(1);",
        ] {
            assert_eq!(elsewhere(text).len(), 1, "{text}");
        }
        for text in [
            "// not a limit: an exit code\nconst A: u8 = 1;\nconst B: u8 = 2;\n",
            "const A: &str = \"a\";\nconst fn f() {}\nconst B: [u8; 2] = [1, 2];\n",
            "#[cfg(test)]\nmod tests {\n    const A: u8 = 1;\n",
        ] {
            assert!(elsewhere(text).is_empty(), "{text}");
        }
        assert_eq!(elsewhere("// not a limit: a flag\nconst A: u8 = 1;\n\nconst B: u8 = 2;\n").len(), 1);
        assert_eq!(elsewhere("// not a limit: \nconst A: u8 = 1;\n").len(), 1);
        assert!(complaints(check, &[("crates/ir/tests/a.rs", "const A: u8 = 1;")]).is_empty());
    }
}
