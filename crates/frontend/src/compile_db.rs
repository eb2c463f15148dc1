//! Reads `compile_commands.json`, or files with flags, and produces arguments for clang's driver.
//!
//! Databases are written by other programs and describe builds for other compilers. An entry that cannot be used is
//! listed with the reason; the others are used.

mod driver;
mod flags;
mod glob;
mod query;
mod response;
mod target;

pub use driver::driver_arguments;
pub use query::Compilers;

use response::ResponseBudget;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Component, Path, PathBuf};

/// How one translation unit is compiled.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CompileCommand {
    pub directory: PathBuf,
    /// As written in the command, relative to `directory`.
    pub file: PathBuf,
    /// The compiler and its flags as recorded, with response files expanded.
    pub arguments: Vec<String>,
}

impl CompileCommand {
    /// The file's absolute path, without `.` and `..`.
    pub fn path(&self) -> PathBuf {
        clean(&self.directory.join(&self.file))
    }
}

/// The C part of a compile database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Database {
    /// In the order of the file, without exact duplicates.
    pub commands: Vec<CompileCommand>,
    /// Number of entries that compile another language: C++, assembler, ...
    pub not_c: usize,
    /// Entries that cannot be used: index in the file and reason.
    pub malformed: Vec<(usize, String)>,
}

/// Why a compile database cannot be used at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DbError {
    Missing(PathBuf),
    Unreadable(PathBuf, String),
    Malformed {
        path: PathBuf,
        line: usize,
        column: usize,
        message: String,
    },
    NotAnArray(PathBuf),
    Empty(PathBuf),
    /// No entry compiles C; the number of entries that were skipped.
    NoC(PathBuf, usize),
}

impl fmt::Display for DbError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        const HOW: &str = "make one with `bear -- make` or `cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON`";
        match self {
            DbError::Missing(path) => write!(f, "{}: no compile database here; {HOW}", path.display()),
            DbError::Unreadable(path, why) => write!(f, "{}: cannot be read: {why}", path.display()),
            DbError::Malformed { path, line, column, message } => {
                write!(f, "{}:{line}:{column}: not valid JSON: {message}; {HOW} anew", path.display())
            }
            DbError::NotAnArray(path) => {
                write!(f, "{}:1:1: a compile database is a JSON array of objects; {HOW} anew", path.display())
            }
            DbError::Empty(path) => write!(
                f,
                "{}: the compile database is empty, so there is nothing to analyse; \
                 was everything built already? Run `make clean` and then `bear -- make`",
                path.display()
            ),
            DbError::NoC(path, skipped) => {
                write!(
                    f,
                    "{}: none of the {skipped} entries compiles C; gainsay reads C only",
                    path.display()
                )
            }
        }
    }
}

impl std::error::Error for DbError {}

/// Reads `compile_commands.json` in a directory, or the named file.
pub fn load(dir: &Path) -> Result<Database, DbError> {
    let path = if dir.is_dir() { dir.join(FILE_NAME) } else { dir.to_owned() };
    let unreadable = |error: std::io::Error| DbError::Unreadable(path.clone(), error.to_string());
    match std::fs::metadata(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(DbError::Missing(path)),
        Err(error) => return Err(unreadable(error)),
        // Reading a pipe might never end.
        Ok(found) if !found.is_file() => {
            return Err(DbError::Unreadable(path, "it is not a regular file".into()));
        }
        Ok(_) => {}
    }
    let bytes = std::fs::read(&path).map_err(unreadable)?;
    let absolute = std::path::absolute(&path).map_err(unreadable)?;
    let base = absolute.parent().unwrap_or(Path::new("/"));
    read(&String::from_utf8_lossy(&bytes), base, &path)
}

pub const FILE_NAME: &str = "compile_commands.json";

/// The directory of the nearest compile database among the parents of a file.
pub fn nearest(file: &Path) -> Option<PathBuf> {
    let absolute = clean(&std::path::absolute(file).ok()?);
    absolute.ancestors().skip(1).find(|dir| dir.join(FILE_NAME).is_file()).map(Path::to_owned)
}

/// The command for a file that is compiled with these flags. The error says what is wrong with the flags.
pub fn from_flags(file: &Path, flags: &[String], directory: &Path) -> Result<CompileCommand, String> {
    let arguments: Vec<String> = std::iter::once("clang".to_owned()).chain(flags.iter().cloned()).collect();
    let arguments = response::expand(arguments, directory, &mut ResponseBudget::default())?;
    Ok(CompileCommand { directory: directory.to_owned(), file: file.to_owned(), arguments })
}

/// `base` resolves relative directories of entries; `path` is used in messages only.
fn read(text: &str, base: &Path, path: &Path) -> Result<Database, DbError> {
    if text.trim().is_empty() {
        return Err(DbError::Empty(path.to_owned()));
    }
    let json: Value = serde_json::from_str(text).map_err(|error| DbError::Malformed {
        path: path.to_owned(),
        line: error.line(),
        column: error.column(),
        message: without_position(&error),
    })?;
    let Value::Array(entries) = json else { return Err(DbError::NotAnArray(path.to_owned())) };
    if entries.is_empty() {
        return Err(DbError::Empty(path.to_owned()));
    }
    let mut db = Database { commands: Vec::new(), not_c: 0, malformed: Vec::new() };
    let mut seen = BTreeSet::new();
    let mut budget = ResponseBudget::default();
    for (index, entry) in entries.iter().enumerate() {
        match command(entry, base, &mut budget) {
            Err(why) => db.malformed.push((index, why)),
            Ok(command) if !driver::is_c(&command) => db.not_c += 1,
            Ok(command) if seen.insert(command.clone()) => db.commands.push(command),
            Ok(_) => {}
        }
    }
    if db.commands.is_empty() && db.malformed.is_empty() {
        return Err(DbError::NoC(path.to_owned(), db.not_c));
    }
    Ok(db)
}

/// serde_json repeats the position at the end of its message.
fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

fn command(entry: &Value, base: &Path, budget: &mut ResponseBudget) -> Result<CompileCommand, String> {
    let Value::Object(entry) = entry else { return Err("is not a JSON object".into()) };
    let text = |key: &str| match entry.get(key) {
        None => Err(format!("has no \"{key}\"")),
        Some(Value::String(text)) => Ok(text.as_str()),
        Some(_) => Err(format!("has a \"{key}\" that is not a string")),
    };
    let file = PathBuf::from(text("file")?);
    let directory = clean(&base.join(text("directory")?));
    let arguments = match entry.get("arguments") {
        Some(Value::Array(list)) => list
            .iter()
            .map(|argument| argument.as_str().map(str::to_owned))
            .collect::<Option<Vec<String>>>()
            .ok_or("has \"arguments\" that are not all strings")?,
        Some(_) => return Err("has \"arguments\" that are not an array".into()),
        None if !entry.contains_key("command") => {
            return Err("has neither \"arguments\" nor \"command\"".into());
        }
        None => shlex::split(text("command")?).ok_or("has a \"command\" with an unclosed quote")?,
    };
    if arguments.is_empty() {
        return Err("has an empty command".into());
    }
    let arguments = response::expand(arguments, &directory, budget)?;
    Ok(CompileCommand { directory, file, arguments })
}

/// Makes a path free of `.` and `..`, by its text alone; the file need not exist.
pub fn clean(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

#[cfg(test)]
mod tests;
