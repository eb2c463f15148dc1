//! Response files: `@file` stands for the arguments in the file, which may name further files.
//!
//! A few small files that name each other can expand to more arguments than fit in memory. The expansion of one command
//! is limited, and so is that of all commands of a database together.

use crate::limits;
use std::path::{Path, PathBuf};

/// Remaining budget for response files.
pub(super) struct ResponseBudget {
    bytes: u64,
}

impl Default for ResponseBudget {
    fn default() -> ResponseBudget {
        ResponseBudget { bytes: limits::RESPONSE_BYTES_OF_DATABASE }
    }
}

/// Replaces response files by their contents. A file that names itself, or nests too deeply, is not read again. The
/// error names the file that cannot be read or the limit that was exceeded: dropping the flags would change the meaning
/// of the unit.
pub(super) fn expand(
    arguments: Vec<String>,
    directory: &Path,
    budget: &mut ResponseBudget,
) -> Result<Vec<String>, String> {
    let bytes = limits::RESPONSE_BYTES.min(budget.bytes);
    let mut expansion = Expansion {
        directory,
        open: Vec::new(),
        files: 0,
        remaining: bytes,
        out: Vec::with_capacity(arguments.len()),
    };
    let done = expansion.append(arguments);
    budget.bytes -= bytes - expansion.remaining;
    match done {
        Ok(()) => Ok(expansion.out),
        Err(ExpandError::Files) => Err(format!("has more than {} response files", limits::RESPONSE_FILES)),
        Err(ExpandError::Bytes) if bytes < limits::RESPONSE_BYTES => Err(format!(
            "has too many response files: all together they hold more than {} MB",
            limits::RESPONSE_BYTES_OF_DATABASE >> 20
        )),
        Err(ExpandError::Bytes) => {
            Err(format!("has response files of more than {} MB", limits::RESPONSE_BYTES >> 20))
        }
        Err(ExpandError::Unreadable(path, why)) => {
            Err(format!("names the response file {}, which cannot be read: {why}", path.display()))
        }
    }
}

enum ExpandError {
    Files,
    Bytes,
    Unreadable(PathBuf, String),
}

struct Expansion<'a> {
    directory: &'a Path,
    /// The files being read, outermost first.
    open: Vec<PathBuf>,
    files: usize,
    /// Unit: bytes.
    remaining: u64,
    out: Vec<String>,
}

impl Expansion<'_> {
    fn append(&mut self, arguments: Vec<String>) -> Result<(), ExpandError> {
        for argument in arguments {
            let Some(name) = argument.strip_prefix('@').filter(|name| !name.is_empty()) else {
                self.out.push(argument);
                continue;
            };
            let path = super::clean(&self.directory.join(name));
            if self.open.len() == limits::RESPONSE_FILE_DEPTH || self.open.contains(&path) {
                continue;
            }
            self.files += 1;
            if self.files > limits::RESPONSE_FILES {
                return Err(ExpandError::Files);
            }
            let inner = self.read(&path)?;
            self.open.push(path);
            self.append(inner)?;
            self.open.pop();
        }
        Ok(())
    }

    fn read(&mut self, path: &Path) -> Result<Vec<String>, ExpandError> {
        let unreadable = |why: String| ExpandError::Unreadable(path.to_owned(), why);
        let found = std::fs::metadata(path).map_err(|error| unreadable(error.to_string()))?;
        if !found.is_file() {
            return Err(unreadable("not a regular file".into()));
        }
        self.remaining = self.remaining.checked_sub(found.len()).ok_or(ExpandError::Bytes)?;
        let bytes = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
        shlex::split(&String::from_utf8_lossy(&bytes)).ok_or_else(|| unreadable("an unclosed quote".into()))
    }
}
