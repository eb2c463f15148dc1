//! Response files: `@file` stands for the arguments in the file, which may name further files.
//!
//! A few small files that name each other can expand to more arguments than fit in memory. The expansion of one command
//! is limited, and so is that of all commands of a database together.

use std::path::{Path, PathBuf};

const MAX_DEPTH: usize = 8;
/// Files that one command may read. No build comes near.
const MAX_FILES: usize = 1_000;
/// What the files of one command may hold together.
const MAX_BYTES: u64 = 4 << 20;
/// What the files of all commands may hold together.
const MAX_TOTAL: u64 = 64 << 20;

/// Remaining budget for response files.
pub(super) struct Allowance {
    total: u64,
}

impl Default for Allowance {
    fn default() -> Allowance {
        Allowance { total: MAX_TOTAL }
    }
}

/// Replaces response files by their contents. A file that names itself, or nests too deeply, is not read again. The
/// error names the file that cannot be read or the limit that was exceeded: dropping the flags would change the meaning
/// of the unit.
pub(super) fn expand(
    arguments: Vec<String>,
    directory: &Path,
    allowance: &mut Allowance,
) -> Result<Vec<String>, String> {
    let bytes = MAX_BYTES.min(allowance.total);
    let mut expansion = Expansion {
        directory,
        open: Vec::new(),
        files: 0,
        left: bytes,
        out: Vec::with_capacity(arguments.len()),
    };
    let done = expansion.append(arguments);
    allowance.total -= bytes - expansion.left;
    match done {
        Ok(()) => Ok(expansion.out),
        Err(Exceeded::Files) => Err(format!("has more than {MAX_FILES} response files")),
        Err(Exceeded::Bytes) if bytes < MAX_BYTES => Err(format!(
            "has too many response files: all together they hold more than {} MB",
            MAX_TOTAL >> 20
        )),
        Err(Exceeded::Bytes) => Err(format!("has response files of more than {} MB", MAX_BYTES >> 20)),
        Err(Exceeded::Unreadable(path, why)) => {
            Err(format!("names the response file {}, which cannot be read: {why}", path.display()))
        }
    }
}

enum Exceeded {
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
    left: u64,
    out: Vec<String>,
}

impl Expansion<'_> {
    fn append(&mut self, arguments: Vec<String>) -> Result<(), Exceeded> {
        for argument in arguments {
            let Some(name) = argument.strip_prefix('@').filter(|name| !name.is_empty()) else {
                self.out.push(argument);
                continue;
            };
            let path = super::clean(&self.directory.join(name));
            if self.open.len() == MAX_DEPTH || self.open.contains(&path) {
                continue;
            }
            self.files += 1;
            if self.files > MAX_FILES {
                return Err(Exceeded::Files);
            }
            let inner = self.read(&path)?;
            self.open.push(path);
            self.append(inner)?;
            self.open.pop();
        }
        Ok(())
    }

    fn read(&mut self, path: &Path) -> Result<Vec<String>, Exceeded> {
        let unreadable = |why: String| Exceeded::Unreadable(path.to_owned(), why);
        let found = std::fs::metadata(path).map_err(|error| unreadable(error.to_string()))?;
        if !found.is_file() {
            return Err(unreadable("not a regular file".into()));
        }
        self.left = self.left.checked_sub(found.len()).ok_or(Exceeded::Bytes)?;
        let bytes = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
        shlex::split(&String::from_utf8_lossy(&bytes)).ok_or_else(|| unreadable("an unclosed quote".into()))
    }
}
