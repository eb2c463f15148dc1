//! `cargo xtask new-rule` and `cargo xtask new-pass`: create the files that a contributor needs.
//!
//! The result compiles, and its tests run and fail until every text that begins with the placeholder is replaced.

pub(crate) mod pass;
pub(crate) mod rule;

use std::fs;
use std::path::Path;

/// Begins every text that must be replaced; `cargo xtask tidy` finds it. Split, so that this file obeys the rule.
pub(crate) const PLACEHOLDER: &str = concat!("FILL", " IN");

/// New and changed files, by their path from the root. Nothing is written before all of them are known.
struct Changes {
    files: Vec<(String, String)>,
}

impl Changes {
    /// Adds a file, which must not exist.
    fn create(&mut self, root: &Path, path: String, text: String) -> Result<(), String> {
        if root.join(&path).exists() {
            return Err(format!("{path} exists"));
        }
        self.files.push((path, text));
        Ok(())
    }

    /// Changes a file; `edit` returns `None` if it does not find its position.
    fn edit(&mut self, root: &Path, path: &str, edit: impl Fn(&str) -> Option<String>) -> Result<(), String> {
        let text = fs::read_to_string(root.join(path)).map_err(|e| format!("cannot read {path}: {e}"))?;
        let text = edit(&text)
            .ok_or_else(|| format!("{path} does not have the expected form; adapt xtask/src/scaffold/"))?;
        self.files.push((path.to_owned(), text));
        Ok(())
    }

    /// Writes all files and prints their names.
    fn write(self, root: &Path) -> Result<(), String> {
        for (path, text) in self.files {
            let file = root.join(&path);
            if let Some(folder) = file.parent() {
                fs::create_dir_all(folder).map_err(|e| format!("cannot create {}: {e}", folder.display()))?;
            }
            fs::write(&file, text).map_err(|e| format!("cannot write {path}: {e}"))?;
            println!("wrote {path}");
        }
        Ok(())
    }
}

/// Whether a name consists of lower-case words with this separator.
fn is_name(name: &str, separator: char) -> bool {
    let is_word = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_lowercase())
            && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
    };
    name.split(separator).all(is_word)
}

/// Inserts a line before the first line of the same kind that is greater, or after the last one. As for rustfmt, `pub`
/// does not count.
fn insert_sorted(text: &str, line: &str, is_same_kind: impl Fn(&str) -> bool) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let same_kind = || lines.iter().enumerate().filter(|(_, other)| is_same_kind(other));
    let key = |line: &str| line.trim_start_matches("pub ").to_owned();
    let greater = same_kind().find(|(_, other)| key(other) > key(line)).map(|(at, _)| at);
    let at = greater.or_else(|| same_kind().last().map(|(at, _)| at + 1))?;
    let mut lines = lines;
    lines.insert(at, line);
    Some(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    /// A copy of these files of the repository, in a folder that is removed at the end.
    pub(super) struct Copy(pub(super) PathBuf);

    impl Copy {
        pub(super) fn new(name: &str, files: &[&str]) -> Copy {
            let root = std::env::temp_dir().join(format!("gainsay-{name}-{}", std::process::id()));
            for file in files {
                let target = root.join(file);
                fs::create_dir_all(target.parent().unwrap()).unwrap();
                fs::copy(crate::workspace::root().join(file), target).unwrap();
            }
            Copy(root)
        }

        pub(super) fn text(&self, path: &str) -> String {
            fs::read_to_string(self.0.join(path)).unwrap()
        }
    }

    impl Drop for Copy {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn names_are_lower_case_words() {
        assert!(is_name("use-after-free2", '-') && is_name("prune", '_'));
        for name in ["", "Use-after", "use--after", "use_after", "-use", "2nd", "../x"] {
            assert!(!is_name(name, '-'), "{name}");
        }
    }

    #[test]
    fn a_line_is_inserted_in_order() {
        let insert = |text: &str, line: &str| insert_sorted(text, line, |other| other.contains("mod "));
        assert_eq!(insert("pub mod a;\nmod c;\n", "pub mod b;").unwrap(), "pub mod a;\npub mod b;\nmod c;\n");
        assert_eq!(
            insert("mod a;\nmod c;\n\nuse x;\n", "mod b;").unwrap(),
            "mod a;\nmod b;\nmod c;\n\nuse x;\n"
        );
        assert_eq!(insert("mod a;\n\nuse x;\n", "mod b;").unwrap(), "mod a;\nmod b;\n\nuse x;\n");
        assert_eq!(insert("use x;\n", "mod b;"), None);
    }
}
