//! A harmless change to one function of a package, which is always undone.
//!
//! The corpus is shared, so the old text is saved first: the next run undoes the edit of a run that was killed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::merge;
use crate::units::Unit;

/// A statement that no analysis can ignore and that has no effect outside the function.
const LINE: &str = "  { volatile int gainsay_bench = 0; (void) gainsay_bench; }\n";

/// An edited file; dropping this undoes the edit.
pub(super) struct Edit {
    file: PathBuf,
    old: String,
    modified: SystemTime,
    scratch: PathBuf,
    is_undone: bool,
}

impl Edit {
    /// Edits the first file of the package's database that has a function to edit.
    pub(super) fn begin(package: &Path, scratch: &Path) -> Result<Option<Edit>, String> {
        let database = package.join("compile_commands.json");
        let text = fs::read_to_string(&database).map_err(|e| cannot("read", &database, &e))?;
        for Unit { directory, file, .. } in merge::entries(&text, package)? {
            let file = Path::new(&directory).join(file);
            // A file that is not UTF-8 could not be restored.
            let Ok(old) = fs::read_to_string(&file) else { continue };
            let Some(new) = with_one_line_more(&old) else { continue };
            let modified = fs::metadata(&file)
                .and_then(|about| about.modified())
                .map_err(|e| cannot("read", &file, &e))?;
            keep(scratch, &file, &old)?;
            let edit = Edit { file, old, modified, scratch: scratch.to_path_buf(), is_undone: false };
            fs::write(&edit.file, new).map_err(|e| cannot("write", &edit.file, &e))?;
            return Ok(Some(edit));
        }
        Ok(None)
    }

    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    /// Undoes the edit.
    pub(super) fn end(mut self) -> Result<(), String> {
        self.undo()
    }

    fn undo(&mut self) -> Result<(), String> {
        if self.is_undone {
            return Ok(());
        }
        fs::write(&self.file, &self.old).map_err(|e| cannot("restore", &self.file, &e))?;
        self.is_undone = true;
        // Only a later `make` of the package needs the old time.
        let _ = File::options().write(true).open(&self.file).and_then(|f| f.set_modified(self.modified));
        forget(&self.scratch)
    }
}

impl Drop for Edit {
    fn drop(&mut self) {
        if let Err(problem) = self.undo() {
            eprintln!("xtask: {problem}");
        }
    }
}

/// Undoes the edit of a run that was killed.
pub(super) fn restore_interrupted(scratch: &Path) -> Result<(), String> {
    let [name, text] = kept(scratch);
    let (Ok(file), Ok(old)) = (fs::read_to_string(&name), fs::read_to_string(&text)) else { return Ok(()) };
    fs::write(&file, old).map_err(|e| cannot("restore", Path::new(&file), &e))?;
    println!("restored {file}, which an interrupted run had edited");
    forget(scratch)
}

/// The name is written last, so that only a complete copy is restored.
fn keep(scratch: &Path, file: &Path, old: &str) -> Result<(), String> {
    let [name, text] = kept(scratch);
    fs::write(&text, old).map_err(|e| cannot("write", &text, &e))?;
    fs::write(&name, file.to_string_lossy().as_bytes()).map_err(|e| cannot("write", &name, &e))
}

fn forget(scratch: &Path) -> Result<(), String> {
    let [name, _] = kept(scratch);
    fs::remove_file(&name).map_err(|e| cannot("remove", &name, &e))
}

fn kept(scratch: &Path) -> [PathBuf; 2] {
    ["edited-name", "edited-text"].map(|name| scratch.join(name))
}

fn cannot(what: &str, file: &Path, error: &std::io::Error) -> String {
    format!("cannot {what} {}: {error}", file.display())
}

/// Adds a statement to the beginning of the first body that is recognised and not inside a preprocessor condition.
fn with_one_line_more(text: &str) -> Option<String> {
    let (mut at, mut conditions) = (0, 0);
    let mut before = "";
    for line in text.split_inclusive('\n') {
        at += line.len();
        let line = line.trim_end();
        match line.strip_prefix('#').map(str::trim_start) {
            Some(directive) if directive.starts_with("if") => conditions += 1,
            Some(directive) if directive.starts_with("endif") => conditions -= 1,
            _ => {}
        }
        if conditions == 0
            && (line == "{" && is_header(before) || line.strip_suffix('{').is_some_and(is_header))
        {
            return Some(format!("{}{LINE}{}", &text[..at], &text[at..]));
        }
        before = line;
    }
    None
}

/// `int f(int i)`, or its last line. Statements in a body do not begin in the first column.
fn is_header(line: &str) -> bool {
    let begins = |c: char| c.is_ascii_alphabetic() || c == '_';
    line.trim_end().ends_with(')') && line.starts_with(begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_function_gets_one_more_line() {
        let text = "struct s\n{\n  int i;\n};\nint a[] =\n{\n  1\n};\nint f (int i)\n{\n  return i;\n}\n";
        let new = with_one_line_more(text).unwrap();
        assert_eq!(new, text.replace("(int i)\n{\n", &format!("(int i)\n{{\n{LINE}")));
        let text = "#if 0\nint f(void)\n{\n}\n#endif\nint g(void) {\n  if (h()) {\n  }\n}\n";
        let new = with_one_line_more(text).unwrap();
        assert_eq!(new, text.replace("g(void) {\n", &format!("g(void) {{\n{LINE}")));
        assert_eq!(with_one_line_more("int f(i)\n  int i;\n{\n}\n#define X(a)\n{\n"), None);
    }

    #[test]
    fn an_edit_is_undone_at_its_end_and_after_a_kill() {
        let scratch = std::env::temp_dir().join(format!("gainsay-edit-{}", std::process::id()));
        fs::create_dir_all(&scratch).unwrap();
        let (database, file) = (scratch.join("compile_commands.json"), scratch.join("a.c"));
        fs::write(database, r#"[{"directory":".","file":"none.c","arguments":[]},{"directory":".","file":"a.c","arguments":[]}]"#).unwrap();
        let old = "int f(void)\n{\n}\n";
        fs::write(&file, old).unwrap();
        let now = || fs::read_to_string(&file).unwrap();

        let edit = Edit::begin(&scratch, &scratch).unwrap().unwrap();
        assert!(now().contains("gainsay_bench"));
        edit.end().unwrap();
        assert_eq!(now(), old);
        restore_interrupted(&scratch).unwrap();

        std::mem::forget(Edit::begin(&scratch, &scratch).unwrap().unwrap());
        assert!(now().contains("gainsay_bench"));
        restore_interrupted(&scratch).unwrap();
        assert_eq!(now(), old);
        fs::remove_dir_all(&scratch).unwrap();
    }
}
