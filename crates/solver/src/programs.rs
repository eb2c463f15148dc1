//! Finds and identifies the solver programs.

use crate::dialect::Dialect;
use crate::health::Health;
use crate::limits::VERSION_TIME;
use crate::process::{self, Failure};
use std::env;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

/// The solver for queries, and the one for second opinions.
pub const FIRST: &str = "yices-smt2";
pub const SECOND: &str = "z3";

/// Names the directory of the solvers; empty means unset.
pub const VARIABLE: &str = "GAINSAY_SOLVERS";

/// Relative to the directory of the program.
const INSTALLED: &str = "libexec/gainsay";

/// A solver program that was found and answered `--version`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub path: PathBuf,
    pub dialect: Dialect,
    /// The first line of what `--version` prints.
    pub version: String,
    pub health: Health,
}

/// Directories in which solver programs are looked for, in this order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SolverDirectories {
    pub directories: Vec<PathBuf>,
}

impl SolverDirectories {
    /// The directory named by `GAINSAY_SOLVERS`, where `cargo xtask` puts them for its own calls; `../libexec/gainsay` relative
    /// to this program, where an installation has them; the absolute entries of `PATH`. Never the current directory and
    /// never a relative path: that may be the code to be analysed, and nothing of it is ever executed.
    pub fn of_this_process() -> Result<SolverDirectories, ProgramError> {
        let named = named_directory(env::var_os(VARIABLE))?;
        let program = env::current_exe().unwrap_or_default();
        let installed = program.parent().and_then(Path::parent).map(|above| above.join(INSTALLED));
        let path = env::var_os("PATH").unwrap_or_default();
        let in_path = env::split_paths(&path).filter(|directory| directory.is_absolute());
        Ok(SolverDirectories { directories: named.into_iter().chain(installed).chain(in_path).collect() })
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

/// A directory that the user named must exist: other solvers are not used silently.
fn named_directory(value: Option<OsString>) -> Result<Option<PathBuf>, ProgramError> {
    let Some(value) = value.filter(|value| !value.is_empty()) else { return Ok(None) };
    let directory = PathBuf::from(value);
    match (directory.is_absolute(), directory.is_dir()) {
        (false, _) => Err(ProgramError::Relative(directory)),
        (true, false) => Err(ProgramError::NoDirectory(directory)),
        (true, true) => Ok(Some(directory)),
    }
}

impl Program {
    /// The program at a path that the user named.
    pub fn at(path: &Path) -> Result<Program, ProgramError> {
        let said = process::output(path, &["--version"], VERSION_TIME)
            .map_err(|failure| ProgramError::Broken { path: path.to_owned(), failure })?;
        let version = said.lines().next().unwrap_or_default().trim().to_owned();
        match Dialect::recognise(&version) {
            Some(dialect) => {
                Ok(Program { path: path.to_owned(), dialect, version, health: Health::default() })
            }
            None => Err(ProgramError::Unrecognised { path: path.to_owned(), said: version }),
        }
    }
}

/// Why there is no solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramError {
    /// `GAINSAY_SOLVERS` names what is no directory.
    NoDirectory(PathBuf),
    /// `GAINSAY_SOLVERS` depends on the current directory.
    Relative(PathBuf),
    Missing {
        name: String,
    },
    Broken {
        path: PathBuf,
        failure: Failure,
    },
    Unrecognised {
        path: PathBuf,
        said: String,
    },
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            ProgramError::NoDirectory(path) => {
                write!(f, "{VARIABLE}: {}: no such directory", path.display())
            }
            ProgramError::Relative(path) => write!(
                f,
                "{VARIABLE}: {}: must be an absolute path; solvers are never taken from the current directory",
                path.display()
            ),
            ProgramError::Missing { name } => write!(
                f,
                "the solver `{name}` is missing: set {VARIABLE} to a directory that holds it, or put it into the PATH; \
                 `cargo xtask demo` installs it into .solvers/bin of the working copy"
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
