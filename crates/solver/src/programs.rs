//! Where the solver programs are, and which they are.

use crate::dialect::Dialect;
use crate::process::{self, Failure};
use std::env;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The solver that answers the questions, and the one that gives the second opinion.
pub const FIRST: &str = "yices-smt2";
pub const SECOND: &str = "z3";

const TIME_FOR_VERSION: Duration = Duration::from_secs(20);

/// A solver that is there and says who it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub path: PathBuf,
    pub dialect: Dialect,
    /// The first line of what `--version` prints.
    pub version: String,
}

/// Directories in which solver programs are looked for, in this order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    pub directories: Vec<PathBuf>,
}

impl Places {
    /// The directory named by `GAINSAY_SOLVERS`; `.solvers/bin` beside this program or in a directory above it,
    /// where `cargo xtask` puts them; the directories of `PATH`. Never the current directory: that may be the
    /// code to be analysed, and nothing of it is ever executed.
    pub fn of_this_process() -> Places {
        let named = env::var_os("GAINSAY_SOLVERS").map(PathBuf::from);
        let program = env::current_exe().unwrap_or_default();
        let beside = program.ancestors().skip(1).map(|directory| directory.join(".solvers/bin"));
        let path = env::var_os("PATH").unwrap_or_default();
        let in_path = env::split_paths(&path).filter(|directory| directory.is_absolute());
        Places { directories: named.into_iter().chain(beside).chain(in_path).collect() }
    }

    /// The first program of this name.
    pub fn find(&self, name: &str) -> Result<Program, ProgramError> {
        let candidate =
            self.directories.iter().map(|directory| directory.join(name)).find(|path| path.is_file());
        match candidate {
            Some(path) => Program::at(&path),
            None => Err(ProgramError::Missing { name: name.to_owned() }),
        }
    }
}

impl Program {
    /// The program at a path that the user named.
    pub fn at(path: &Path) -> Result<Program, ProgramError> {
        let said = process::output(path, &["--version"], TIME_FOR_VERSION)
            .map_err(|failure| ProgramError::Broken { path: path.to_owned(), failure })?;
        let version = said.lines().next().unwrap_or_default().trim().to_owned();
        match Dialect::recognise(&version) {
            Some(dialect) => Ok(Program { path: path.to_owned(), dialect, version }),
            None => Err(ProgramError::Unrecognised { path: path.to_owned(), said: version }),
        }
    }
}

/// Why there is no solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramError {
    Missing { name: String },
    Broken { path: PathBuf, failure: Failure },
    Unrecognised { path: PathBuf, said: String },
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            ProgramError::Missing { name } => write!(
                f,
                "the solver `{name}` is missing: `cargo xtask demo` installs it into .solvers/bin of the working copy; \
                 set GAINSAY_SOLVERS to a directory that holds it, or put it into the PATH"
            ),
            ProgramError::Broken { path, failure } => {
                write!(f, "{}: asked for its version, but {failure}", path.display())
            }
            ProgramError::Unrecognised { path, said } => {
                write!(f, "{}: neither Yices nor Z3: `--version` says `{said}`", path.display())
            }
        }
    }
}

impl std::error::Error for ProgramError {}
