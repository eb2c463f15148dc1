//! `cargo xtask tidy`: rules of this repository that neither the compiler nor clippy checks.

use std::fs;
use std::path::{Component, Path};
use std::process::Command;

use crate::{process, workspace};

const LONGEST_FILE: usize = 800;
const LINES_FOR_MODULE_COMMENT: usize = 3;

/// Which crate may depend on which (design.md, section 2).
const ARROWS: &[(&str, &[&str])] = &[
    ("cli", &["frontend", "analysis", "report", "ir"]),
    ("frontend", &["ir"]),
    ("analysis", &["solver", "report", "ir"]),
    ("report", &["ir"]),
    ("solver", &["ir"]),
    ("ir", &[]),
];

/// Written in two parts, so that this file obeys its own rules.
const UNFINISHED: &str = concat!("todo", "!(");
const REGISTRY_HOSTS: &[&str] = &[
    concat!("crates", ".io"),
    concat!("pypi", ".org"),
    concat!("python", "hosted.org"),
    concat!("deb.", "debian.org"),
    concat!("security.", "debian.org"),
    concat!("registry.", "npmjs"),
];

/// Prints every broken rule; an error if there is one.
pub(crate) fn run() -> Result<(), String> {
    let root = workspace::root();
    let mut list = Command::new("git");
    list.args(["ls-files", "--cached", "--others", "--exclude-standard"]).current_dir(&root);
    let mut complaints = Vec::new();
    let listing = process::capture(&mut list)?;
    for name in listing.lines() {
        // Files that are not text have no lines to judge; a file may be deleted but still listed.
        let Ok(text) = fs::read_to_string(root.join(name)) else { continue };
        complaints
            .extend(complaints_about(Path::new(name), &text).iter().map(|what| format!("{name}: {what}")));
    }
    for complaint in &complaints {
        println!("{complaint}");
    }
    if complaints.is_empty() { Ok(()) } else { Err(format!("{} tidy rule(s) broken", complaints.len())) }
}

fn complaints_about(path: &Path, text: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    let is_lock = path.ends_with("Cargo.lock");
    for host in REGISTRY_HOSTS.iter().filter(|host| !is_lock && text.contains(*host)) {
        complaints.push(format!("names the registry host {host}"));
    }
    if path.ends_with("Cargo.toml") {
        complaints.extend(forbidden_dependencies(path, text));
    }
    let ours = path.starts_with("crates") || path.starts_with("xtask");
    let kind = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    let in_tests = path.components().any(|c| c == Component::Normal("tests".as_ref()));
    let is_test = in_tests || path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("tests"));
    if !ours || !matches!(kind, "rs" | "cpp" | "h") || (in_tests && kind != "rs") {
        return complaints;
    }
    let comment = if kind == "rs" { "//!" } else { "//" };
    if !text.lines().take(LINES_FOR_MODULE_COMMENT).any(|line| line.starts_with(comment)) {
        complaints.push(format!("no `{comment}` comment on top that says why the file exists"));
    }
    let length = text.lines().count();
    if length > LONGEST_FILE && !is_test {
        complaints.push(format!("{length} lines, more than {LONGEST_FILE}: split it"));
    }
    if text.contains(UNFINISHED) {
        complaints.push(format!("holds `{UNFINISHED}`"));
    }
    complaints
}

/// Dependencies on our own crates that the arrows do not allow. Dev-dependencies are free: tests may look anywhere.
fn forbidden_dependencies(path: &Path, text: &str) -> Vec<String> {
    let mut folders = path.components().rev().skip(1);
    let own = folders.next().map(|c| c.as_os_str().to_string_lossy().into_owned()).unwrap_or_default();
    let mut complaints = Vec::new();
    let mut section = "";
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']');
            continue;
        }
        let name = line.split(['=', '.', ' ']).next().unwrap_or_default();
        if !matches!(section, "dependencies" | "build-dependencies")
            || name.is_empty()
            || name.starts_with('#')
        {
            continue;
        }
        let allowed = ARROWS.iter().find(|(from, _)| *from == own).map_or(&[][..], |(_, to)| to);
        if let Some(other) = name.strip_prefix("gainsay-").filter(|other| !allowed.contains(other)) {
            complaints.push(format!("{own} must not depend on {other}"));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(path: &str, text: &str) -> Vec<String> {
        complaints_about(Path::new(path), text)
    }

    #[test]
    fn a_module_comment_is_required_near_the_top() {
        assert_eq!(complaints("crates/ir/src/a.rs", "//! Why.\n"), Vec::<String>::new());
        assert_eq!(complaints("crates/ir/src/a.rs", "use x;\n").len(), 1);
        assert_eq!(complaints("crates/frontend/cpp/a.cpp", "// Why.\n"), Vec::<String>::new());
        assert_eq!(complaints("crates/frontend/cpp/a.h", "#pragma once\n").len(), 1);
        assert_eq!(complaints("crates/cli/tests/data/a.h", "int x;\n"), Vec::<String>::new());
    }

    #[test]
    fn long_files_are_for_tests_only() {
        let long = format!("//! Why.\n{}", "x\n".repeat(LONGEST_FILE));
        assert_eq!(complaints("xtask/src/a.rs", &long).len(), 1);
        assert_eq!(complaints("crates/ir/tests/a.rs", &long), Vec::<String>::new());
        assert_eq!(complaints("crates/ir/src/interp/tests.rs", &long), Vec::<String>::new());
    }

    #[test]
    fn unfinished_code_and_registry_hosts_are_found() {
        assert_eq!(
            complaints("crates/ir/src/a.rs", &format!("//! Why.\nfn f() {{ {UNFINISHED}) }}")).len(),
            1
        );
        assert_eq!(complaints("README.md", &format!("see {}", REGISTRY_HOSTS[0])).len(), 1);
    }

    #[test]
    fn arrows_against_the_design_are_found() {
        let needs =
            |crate_name: &str| format!("[dependencies]\n{crate_name}.workspace = true\nserde = \"1\"\n");
        assert_eq!(complaints("crates/frontend/Cargo.toml", &needs("gainsay-ir")), Vec::<String>::new());
        assert_eq!(complaints("crates/ir/Cargo.toml", &needs("gainsay-solver")).len(), 1);
        assert_eq!(complaints("crates/cli/Cargo.toml", &needs("gainsay-solver")).len(), 1);
        let dev = "[dev-dependencies]\ngainsay-frontend.workspace = true\n";
        assert_eq!(complaints("crates/ir/Cargo.toml", dev), Vec::<String>::new());
    }
}
