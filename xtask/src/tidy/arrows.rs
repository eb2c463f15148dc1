//! Which crate may depend on which. Dev-dependencies are free: tests may use any crate.

use super::repository::{Complaint, Repository};

/// A crate's folder and the crates that it may depend on.
const ARROWS: &[(&str, &[&str])] = &[
    ("ir", &[]),
    ("term", &[]),
    ("report", &[]),
    ("fuzz", &[]),
    ("interp", &["ir"]),
    ("program", &["ir"]),
    ("frontend", &["ir"]),
    ("vc", &["ir", "term"]),
    ("solver", &["term"]),
    ("analysis", &["ir", "program", "term", "vc", "solver", "report"]),
    ("driver", &["ir", "program", "frontend", "solver", "analysis", "report"]),
    ("cli", &["ir", "program", "frontend", "solver", "analysis", "report", "driver"]),
    (
        "dev",
        &[
            "ir", "term", "interp", "program", "frontend", "vc", "solver", "analysis", "report", "driver",
            "cli",
        ],
    ),
];

pub(super) fn check(repository: &Repository) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (name, text) in repository.matching("", "/Cargo.toml") {
        let Some(own) = folder(name) else { continue };
        let Some((_, allowed)) = ARROWS.iter().find(|(from, _)| *from == own) else {
            complaints
                .push(Complaint::in_file(name, format!("{own} is missing in the table of tidy/arrows.rs")));
            continue;
        };
        for (line, other) in dependencies(text).filter(|(_, other)| !allowed.contains(other)) {
            complaints.push(Complaint::at(name, line, format!("{own} must not depend on {other}")));
        }
    }
    let stale = ARROWS.iter().filter(|(own, _)| !repository.has(&format!("crates/{own}")));
    complaints.extend(
        stale.map(|(own, _)| {
            Complaint::in_file("xtask/src/tidy/arrows.rs", format!("there is no crate {own}"))
        }),
    );
    complaints
}

/// `ir` for `crates/ir/Cargo.toml`.
fn folder(manifest: &str) -> Option<&str> {
    manifest.strip_prefix("crates/")?.strip_suffix("/Cargo.toml")
}

/// Dependencies on crates of this repository, by folder, with their lines.
fn dependencies(manifest: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut section = "";
    manifest.lines().enumerate().filter_map(move |(number, line)| {
        if let Some(name) = line.trim().strip_prefix('[') {
            section = name.trim_end_matches(']');
            return None;
        }
        if !matches!(section, "dependencies" | "build-dependencies") {
            return None;
        }
        match line.split(['=', '.', ' ']).next()? {
            "gainsay" => Some((number, "cli")),
            name => name.strip_prefix("gainsay-").map(|other| (number, other)),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::repository::complaints;
    use super::*;

    /// All crates of the table, one of them with this manifest.
    fn with(crate_name: &str, manifest: &str) -> Vec<String> {
        let names: Vec<String> = ARROWS.iter().map(|(name, _)| format!("crates/{name}/Cargo.toml")).collect();
        let mut files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
        let own = format!("crates/{crate_name}/Cargo.toml");
        files.push((&own, manifest));
        complaints(check, &files)
    }

    #[test]
    fn only_the_arrows_of_the_table_are_allowed() {
        assert!(with("frontend", "[dependencies]\ngainsay-ir.workspace = true\nserde = \"1\"\n").is_empty());
        let wrong = with("ir", "[package]\n[dependencies]\ngainsay-solver.workspace = true\n");
        assert_eq!(wrong, ["crates/ir/Cargo.toml:3: ir must not depend on solver"]);
        assert_eq!(with("driver", "[dependencies]\ngainsay = \"1\"\n").len(), 1);
        assert_eq!(with("ir", "[build-dependencies]\ngainsay-fuzz = \"1\"\n").len(), 1);
        assert!(with("ir", "[dev-dependencies]\ngainsay-frontend.workspace = true\n").is_empty());
    }

    #[test]
    fn the_table_has_exactly_the_crates() {
        assert!(with("new", "")[0].contains("new is missing"));
        assert_eq!(complaints(check, &[]).len(), ARROWS.len());
    }

    #[test]
    fn the_table_has_no_cycle() {
        for (i, (_, allowed)) in ARROWS.iter().enumerate() {
            let earlier = |name: &&&str| ARROWS[..i].iter().any(|(from, _)| from == *name);
            assert!(allowed.iter().all(|name| earlier(&name)));
        }
    }
}
