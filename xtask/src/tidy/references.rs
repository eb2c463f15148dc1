//! Documents and comments refer only to files of this repository that exist.
//!
//! Checked are links `[text](path)`, whose path is relative to the document, and names of files in the text. A name may
//! leave out leading directories: `passes/prune.rs`. Names with placeholders (`docs/rules/NAME.md`, `tests/gc/*.gc`) and
//! paths outside of the repository (`/etc/apt`, `~/.cache`) are not checked.

use super::repository::{Complaint, Repository};

/// A name with one of these extensions always means a file of this repository, even without a directory.
const OURS: &[&str] = &["md", "rs", "gc", "tsv"];
/// A path with one of these extensions means a file of this repository if it begins with one of its directories.
const MAYBE_OURS: &[&str] = &["c", "h", "cpp", "toml", "json", "yml", "py", "sh"];

/// Source material that is not in the repository.
const NOT_HERE: &str = "papers/";

pub(super) fn check(repository: &Repository) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (name, number, line) in prose(repository) {
        let links = if name.ends_with(".md") { links(line) } else { Vec::new() };
        let missing_links =
            links.iter().filter(|link| !is_external(link) && !link_exists(repository, name, link));
        let missing_files = names(line)
            .filter(|path| !links.iter().any(|link| link.contains(path)) && is_ours(repository, path))
            .filter(|path| !file_exists(repository, path));
        for path in missing_links.copied().chain(missing_files) {
            complaints.push(Complaint::at(name, number, format!("refers to `{path}`, which does not exist")));
        }
    }
    complaints
}

/// The lines of documents, without code blocks, and the comments in source files: file, line from 0, text.
pub(super) fn prose(repository: &Repository) -> impl Iterator<Item = (&str, usize, &str)> {
    repository.files().flat_map(|(name, text)| {
        let is_document = name.ends_with(".md");
        let is_code = name.ends_with(".rs") || name.ends_with(".cpp") || name.ends_with(".h");
        let mut in_block = false;
        text.lines().enumerate().filter_map(move |(number, line)| {
            if is_document {
                let is_fence = line.trim_start().starts_with("```");
                in_block ^= is_fence;
                return (!in_block && !is_fence).then_some((name, number, line));
            }
            is_code.then(|| comment(line)).flatten().map(|comment| (name, number, comment))
        })
    })
}

/// The comment of a line of code.
fn comment(line: &str) -> Option<&str> {
    let line = line.trim_start();
    if line.starts_with("//") {
        return Some(line.trim_start_matches(['/', '!']));
    }
    // A string may contain slashes, but hardly with blanks around them.
    line.split_once(" // ").map(|(_, comment)| comment)
}

/// The targets of `[text](target)`.
fn links(line: &str) -> Vec<&str> {
    line.match_indices("](")
        .filter_map(|(at, _)| line[at + 2..].split_once(')').map(|(link, _)| link))
        .collect()
}

fn is_external(link: &str) -> bool {
    link.starts_with('#') || link.contains("://") || link.starts_with("mailto:")
}

fn link_exists(repository: &Repository, document: &str, link: &str) -> bool {
    let path = link.split('#').next().unwrap_or(link);
    let mut folders: Vec<&str> = document.split('/').collect();
    folders.pop();
    for part in path.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(folders.pop()),
            part => folders.push(part),
        }
    }
    repository.has(&folders.join("/"))
}

/// Words that look like the name of a file.
fn names(line: &str) -> impl Iterator<Item = &str> {
    let is_separator = |c: char| c.is_whitespace() || "`'\"()[]|,;=".contains(c);
    let words = line.split(is_separator).map(|word| word.trim_end_matches(['.', ':', '!', '?']));
    let is_placeholder = |word: &str| {
        word.contains(['*', '<', '>', '{', '}', '$', '%', '…'])
            || word.contains("..")
            || word.contains("NAME")
            || word.contains("NNN")
    };
    // A name may be followed by the number of a line.
    let file = |word: &'_ str| word.find(':').unwrap_or(word.len());
    words
        .filter(move |word| {
            !word.starts_with(['/', '~', '-', '#']) && !word.contains("://") && !is_placeholder(word)
        })
        .map(move |word| &word[..file(word)])
}

/// Whether the name must be that of a file of this repository.
fn is_ours(repository: &Repository, path: &str) -> bool {
    if path.starts_with(NOT_HERE) {
        return true;
    }
    let Some((stem, extension)) = path.rsplit_once('.') else { return false };
    let first = path.split('/').next().unwrap_or(path);
    let is_name = !stem.is_empty() && !stem.ends_with('/');
    let in_repository = path.contains('/') && repository.has(first);
    is_name && (OURS.contains(&extension) || MAYBE_OURS.contains(&extension) && in_repository)
}

/// Whether a file has this path, or one that ends in it.
fn file_exists(repository: &Repository, path: &str) -> bool {
    let path = path.trim_start_matches("./");
    repository.has(path)
        || repository.files().any(|(name, _)| name.strip_suffix(path).is_some_and(|rest| rest.ends_with('/')))
}

#[cfg(test)]
mod tests {
    use super::super::repository::complaints;
    use super::*;

    fn with(name: &str, text: &str) -> Vec<String> {
        let files =
            [("docs/rules/endless.md", ""), ("crates/ir/src/passes/prune.rs", ""), ("tests/c/a.c", "")];
        complaints(check, &[&files[..], &[(name, text)]].concat())
    }

    #[test]
    fn links_are_relative_to_the_document() {
        for good in
            ["[a](rules/endless.md)", "[a](../crates/ir#x)", "[a](#b)", "[a](https://example.org/x.md)"]
        {
            assert!(with("docs/a.md", good).is_empty(), "{good}");
        }
        assert_eq!(
            with("docs/a.md", "x\n[a](endless.md)"),
            ["docs/a.md:2: refers to `endless.md`, which does not exist"]
        );
    }

    #[test]
    fn names_of_missing_files_are_found_in_documents_and_comments() {
        for bad in [
            "see `passes/cut.rs`",
            "(design.md, section 5)",
            "in tests/c/b.c:",
            "`prune/a.gc`",
            "cut.rs",
            "papers/x, section 2",
        ] {
            assert_eq!(with("docs/a.md", bad).len(), 1, "{bad}");
            assert_eq!(with("crates/ir/src/a.rs", &format!("/// {bad}")).len(), 1, "{bad}");
            assert_eq!(with("crates/ir/src/a.rs", &format!("x(); // {bad}")).len(), 1, "{bad}");
            assert!(with("crates/ir/src/a.rs", &format!("let x = \"{bad}\";")).is_empty(), "{bad}");
            assert!(with("docs/a.md", &format!("```\n{bad}\n```")).is_empty(), "{bad}");
        }
    }

    #[test]
    fn existing_files_placeholders_and_paths_elsewhere_are_accepted() {
        for good in [
            "`passes/prune.rs`",
            "`crates/ir/src/passes/prune.rs:12`",
            "docs/rules/endless.md.",
            "`docs/rules/NAME.md`",
            "`tests/gc/*.gc`",
            "`/etc/a.md`",
            "`lib/deflate.c`",
            "`sys/time.h`",
            "a.rs/b",
            "the extension .rs",
        ] {
            assert!(with("docs/a.md", good).is_empty(), "{good}");
        }
    }
}
