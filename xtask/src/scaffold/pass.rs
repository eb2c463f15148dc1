//! `cargo xtask new-pass NAME`: a file for the pass, its lines in `passes.rs`, a test in the text form of the IR, and the
//! line that runs such tests.

use std::fs;
use std::path::Path;

use super::{Changes, PLACEHOLDER, insert_sorted, is_name};
use crate::workspace;

const TABLE: &str = "crates/ir/src/passes.rs";
/// In the tests of a crate.
const HARNESS: &str = "filetests.rs";

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Name of the pass and of its function: lower-case words joined by underscores
    name: String,
}

pub(crate) fn run(options: &Options) -> Result<(), String> {
    create(&workspace::root(), &options.name)?;
    println!(
        "\nNext: replace every `{PLACEHOLDER}`, write the pass, and call it where the passes are called in order."
    );
    println!(
        "`BLESS=1 cargo test --test filetests` writes the expected result of tests/gc/{}/.",
        options.name
    );
    Ok(())
}

fn create(root: &Path, name: &str) -> Result<(), String> {
    if !is_name(name, '_') {
        return Err(format!("`{name}` is not a name of lower-case words joined by underscores"));
    }
    let mut changes = Changes { files: Vec::new() };
    changes.create(root, format!("crates/ir/src/passes/{name}.rs"), source(name))?;
    changes.create(root, format!("tests/gc/{name}/example.gc"), test(name))?;
    changes.edit(root, TABLE, |text| with_module(text, name))?;
    changes.edit(root, &harness(root)?, |text| with_test(text, name))?;
    changes.write(root)
}

/// The file that runs the tests in tests/gc/.
fn harness(root: &Path) -> Result<String, String> {
    let crates = fs::read_dir(root.join("crates")).map_err(|e| format!("cannot read crates: {e}"))?;
    let files = crates.flatten().map(|entry| entry.path().join("tests").join(HARNESS));
    let found = files
        .filter(|file| file.is_file())
        .find_map(|file| file.strip_prefix(root).ok().map(|path| path.to_string_lossy().into_owned()));
    found.ok_or_else(|| format!("no crate has tests/{HARNESS}"))
}

fn source(name: &str) -> String {
    format!(
        "//! {PLACEHOLDER}: what the pass does, what it guarantees, and which section of which paper it implements.

use crate::gc::Function;

/// {PLACEHOLDER}: what comes out.
pub fn {name}(function: Function) -> Function {{
    function
}}
"
    )
}

/// The expected result is wrong, so that the test fails until it is replaced.
fn test(name: &str) -> String {
    format!(
        "; test {name}
target ptr64 little
func @f(a: i32) -> i32 {{
b0:
  a = 1i32
  goto b1
b1:
  return a
}}
; ---
; {PLACEHOLDER}: the expected result.
"
    )
}

fn with_module(text: &str, name: &str) -> Option<String> {
    let is_module = |line: &str| line.trim_start_matches("pub ").starts_with("mod ");
    let sorted = insert_sorted(text, &format!("pub mod {name};"), is_module)?;
    insert_sorted(&sorted, &format!("pub use {name}::{name};"), |line| line.starts_with("pub use "))
}

fn with_test(text: &str, name: &str) -> Option<String> {
    const OTHERWISE: &str = "        _ => format!(\"unknown test";
    let at = text.find(OTHERWISE)?;
    let arm = format!("        \"{name}\" => gc_pass(&unit, |f| passes::{name}(f.clone())),\n");
    Some(format!("{}{arm}{}", &text[..at], &text[at..]))
}

#[cfg(test)]
mod tests {
    use super::super::tests::Copy;
    use super::*;

    #[test]
    fn a_pass_gets_a_file_a_module_and_a_test_that_runs() {
        let harness = harness(&workspace::root()).unwrap();
        let copy = Copy::new("new-pass", &[TABLE, &harness]);
        create(&copy.0, "merge_blocks").unwrap();
        assert!(copy.text("crates/ir/src/passes/merge_blocks.rs").contains("pub fn merge_blocks("));
        assert!(copy.text("tests/gc/merge_blocks/example.gc").starts_with("; test merge_blocks\n"));
        assert!(copy.text(&harness).contains("        \"merge_blocks\" => gc_pass("));
        let table = copy.text(TABLE);
        let uses: Vec<&str> = table.lines().filter(|line| line.starts_with("pub use ")).collect();
        assert!(uses.is_sorted() && uses.contains(&"pub use merge_blocks::merge_blocks;"));
        assert!(table.contains("pub mod merge_blocks;\n"));
    }

    #[test]
    fn an_existing_pass_and_a_bad_name_change_nothing() {
        let harness = harness(&workspace::root()).unwrap();
        let copy = Copy::new("new-pass-again", &[TABLE, &harness, "crates/ir/src/passes/prune.rs"]);
        let before = copy.text(TABLE);
        assert!(create(&copy.0, "prune").is_err_and(|e| e.contains("exists")));
        assert!(create(&copy.0, "bad-name").is_err());
        assert_eq!(copy.text(TABLE), before);
    }
}
