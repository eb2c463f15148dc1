//! The text files of the repository, as the checks see them.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::process;

/// The files that git tracks, or would track, by their path from the root. The text of a binary file is empty.
pub(super) struct Repository {
    files: BTreeMap<String, String>,
}

impl Repository {
    pub(super) fn read(root: &Path) -> Result<Repository, String> {
        let mut list = Command::new("git");
        list.args(["ls-files", "--cached", "--others", "--exclude-standard"]).current_dir(root);
        let listing = process::capture(&mut list)?;
        // A deleted file may still be listed.
        let names = listing.lines().filter(|name| root.join(name).is_file());
        let files =
            names.map(|name| (name.to_owned(), fs::read_to_string(root.join(name)).unwrap_or_default()));
        Ok(Repository { files: files.collect() })
    }

    #[cfg(test)]
    pub(super) fn of(files: &[(&str, &str)]) -> Repository {
        Repository { files: files.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect() }
    }

    /// Path and text of all files, sorted by path.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// The files whose path begins and ends like this.
    pub(super) fn matching<'a>(
        &'a self,
        start: &'a str,
        end: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.files().filter(move |(name, _)| name.starts_with(start) && name.ends_with(end))
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.files.get(name).map(String::as_str)
    }

    /// Whether this is a file or a directory.
    pub(super) fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        self.files.contains_key(path) || self.matching(&format!("{path}/"), "").next().is_some()
    }
}

/// What is wrong, and where.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Complaint {
    file: String,
    line: Option<usize>,
    what: String,
}

impl Complaint {
    pub(super) fn in_file(file: &str, what: impl Into<String>) -> Complaint {
        Complaint { file: file.to_owned(), line: None, what: what.into() }
    }

    /// `line` counts from 0.
    pub(super) fn at(file: &str, line: usize, what: impl Into<String>) -> Complaint {
        Complaint { file: file.to_owned(), line: Some(line + 1), what: what.into() }
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.what),
            None => write!(f, "{}: {}", self.file, self.what),
        }
    }
}

/// Whether this is a source file of the project: Rust, or C++ outside of tests.
pub(super) fn is_source(name: &str) -> bool {
    let ours = name.starts_with("crates/") || name.starts_with("xtask/");
    ours && (name.ends_with(".rs") || !is_test(name) && (name.ends_with(".cpp") || name.ends_with(".h")))
}

/// Whether this is a file in a `tests` folder or a module of tests.
pub(super) fn is_test(name: &str) -> bool {
    let path = Path::new(name);
    path.components().any(|part| part.as_os_str() == "tests")
        || path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("tests"))
}

/// The text of a Rust file before its module of tests.
pub(super) fn without_tests(text: &str) -> &str {
    let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    &text[..end]
}

/// The messages of a check on these files, for tests.
#[cfg(test)]
pub(super) fn complaints(check: fn(&Repository) -> Vec<Complaint>, files: &[(&str, &str)]) -> Vec<String> {
    check(&Repository::of(files)).iter().map(Complaint::to_string).collect()
}
