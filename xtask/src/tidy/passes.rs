//! Every pass has tests in the text form of the IR, in tests/gc/ in a folder of the pass's name.
//!
//! The passes are the public modules of `passes.rs` and the files of [`ELSEWHERE`].

use super::repository::{Complaint, Repository};

const TABLE: &str = "crates/ir/src/passes.rs";

/// Passes that need facts about the whole program.
const ELSEWHERE: &[&str] = &[
    "crates/program/src/apply_models.rs",
    "crates/program/src/apply_summaries.rs",
    "crates/program/src/body_facts.rs",
    "crates/program/src/input_paths.rs",
    "crates/program/src/instrument_calls.rs",
];

pub(super) fn check(repository: &Repository) -> Vec<Complaint> {
    let Some(table) = repository.text(TABLE) else { return vec![Complaint::in_file(TABLE, "missing")] };
    let folder = TABLE.trim_end_matches(".rs");
    let mut passes: Vec<String> = public_modules(table).map(|name| format!("{folder}/{name}.rs")).collect();
    passes.extend(ELSEWHERE.iter().map(|file| (*file).to_owned()));
    passes.iter().filter_map(|file| complaint(repository, file)).collect()
}

fn complaint(repository: &Repository, file: &str) -> Option<Complaint> {
    if !repository.has(file) {
        return Some(Complaint::in_file(file, "missing, but listed as a pass"));
    }
    let name = file.rsplit('/').next()?.strip_suffix(".rs")?;
    let folder = format!("tests/gc/{name}/");
    let is_tested = repository.matching(&folder, ".gc").any(|(_, text)| runs(text, name));
    (!is_tested).then(|| Complaint::in_file(file, format!("no test in {folder} begins with `; test {name}`")))
}

/// Modules that are public or have a public item.
fn public_modules(table: &str) -> impl Iterator<Item = &str> {
    let is_public = |name: &str| {
        table.contains(&format!("pub mod {name};")) || table.contains(&format!("pub use {name}::"))
    };
    let modules = table
        .lines()
        .map(|line| line.trim_start_matches("pub "))
        .filter_map(|line| line.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')));
    modules.filter(move |name| is_public(name))
}

/// Whether the first line of a test names this pass.
fn runs(test: &str, pass: &str) -> bool {
    let line = test.lines().next().and_then(|line| line.strip_prefix("; test "));
    line.is_some_and(|words| words.split_whitespace().any(|word| word == pass))
}

#[cfg(test)]
mod tests {
    use super::super::repository::complaints;
    use super::*;

    fn with(more: &[(&str, &str)]) -> Vec<String> {
        let tests: Vec<(String, String)> = ELSEWHERE
            .iter()
            .map(|file| file.rsplit('/').next().unwrap().trim_end_matches(".rs"))
            .map(|name| (format!("tests/gc/{name}/a.gc"), format!("; test {name}\n")))
            .collect();
        let mut files: Vec<(&str, &str)> = ELSEWHERE.iter().map(|file| (*file, "")).collect();
        files.extend(tests.iter().map(|(name, text)| (name.as_str(), text.as_str())));
        files.extend(more);
        complaints(check, &files)
    }

    #[test]
    fn a_pass_without_tests_is_found_and_a_private_helper_needs_none() {
        let table = (TABLE, "mod cut;\nmod helper;\npub mod prune;\n\npub use cut::cut;\n");
        let sources = [("crates/ir/src/passes/cut.rs", ""), ("crates/ir/src/passes/prune.rs", "")];
        let cut = ("tests/gc/cut/a.gc", "; test cut passify\n");
        let prune = ("tests/gc/prune/a.gc", "; test prune\n");
        assert!(with(&[table, sources[0], sources[1], cut, prune]).is_empty());
        let untested = with(&[table, sources[0], sources[1], cut, ("tests/gc/prune/a.gc", "; test print\n")]);
        assert_eq!(
            untested,
            ["crates/ir/src/passes/prune.rs: no test in tests/gc/prune/ begins with `; test prune`"]
        );
        assert_eq!(with(&[table, sources[0], sources[1], prune]).len(), 1);
        assert_eq!(
            with(&[table, sources[0], cut, prune]),
            ["crates/ir/src/passes/prune.rs: missing, but listed as a pass"]
        );
        assert_eq!(with(&[]).len(), 1);
    }
}
