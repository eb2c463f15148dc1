//! The directory that a run keeps its files in: the cache, or a private one.

use super::{Hash, Store, evict, identity};
use crate::cache::owner;
use std::fs::{self, DirBuilder, File, Permissions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The cache options of the command line.
#[derive(Clone, Debug, Default)]
pub struct CacheOptions {
    pub cache_dir: Option<PathBuf>,
    pub no_cache: bool,
    /// In MB.
    pub cache_limit: u64,
}

/// A store that is open for one run.
pub struct Opened {
    pub store: Store,
    limit: u64,
    /// Removed after the run.
    _private: Option<TempDir>,
}

/// Opens the cache or, if there is none, a private directory. Also gives a note for the user if a cache was wanted and
/// cannot be used. It is an error if others can write a directory that the user named: they could put results there.
pub fn open(args: &CacheOptions) -> Result<(Opened, Option<String>), String> {
    let limit = args.cache_limit.saturating_mul(1 << 20);
    let directory = match &args.cache_dir {
        _ if args.no_cache => None,
        Some(named) => Some(Ok(named.clone())),
        None => default_directory(),
    };
    let store = directory.map(|directory| {
        let directory = directory?;
        open_cache(&directory, args.cache_dir.is_none())
            .map_err(|problem| Problem { directory: Some(directory), ..problem })
    });
    let note = match store {
        None => None,
        Some(Ok(store)) => return Ok((Opened { store, limit, _private: None }, None)),
        Some(Err(problem)) if problem.is_refusal && args.cache_dir.is_some() => return Err(problem.message()),
        Some(Err(problem)) => Some(problem.message()),
    };
    let private = tempfile::Builder::new().prefix("gainsay-").permissions(private()).tempdir();
    let private = private.map_err(|error| format!("no directory for temporary files: {error}"))?;
    let store = Store { directory: private.path().to_owned(), identity: Hash::default(), lasts: false };
    Ok((Opened { store, limit, _private: Some(private) }, note))
}

/// Why there is no cache.
struct Problem {
    directory: Option<PathBuf>,
    reason: String,
    /// The directory exists, but others can write it.
    is_refusal: bool,
}

impl From<String> for Problem {
    fn from(reason: String) -> Problem {
        Problem { directory: None, reason, is_refusal: false }
    }
}

impl From<std::io::Error> for Problem {
    fn from(error: std::io::Error) -> Problem {
        error.to_string().into()
    }
}

impl Problem {
    fn message(&self) -> String {
        match &self.directory {
            Some(directory) => format!("{}: no cache: {}", directory.display(), self.reason),
            None => format!("no cache: {}", self.reason),
        }
    }
}

impl Opened {
    /// Evicts files after the run.
    pub fn close(self) {
        if self.store.lasts {
            evict::evict(&self.store.directory, self.limit);
        }
    }
}

/// The directory of the cache if the user names none; `None` if the environment does not say. A home directory that does
/// not exist is not created: such a `HOME` means that there shall be none.
fn default_directory() -> Option<Result<PathBuf, Problem>> {
    let named = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if let Some(caches) = named("XDG_CACHE_HOME") {
        return Some(Ok(caches.join(BELOW)));
    }
    let home = named("HOME")?;
    if !home.is_dir() {
        return Some(Err(format!("HOME is {}, which does not exist", home.display()).into()));
    }
    Some(Ok(home.join(".cache").join(BELOW)))
}

const BELOW: &str = "gainsay/cache";

fn private() -> Permissions {
    Permissions::from_mode(0o700)
}

/// The file that tells backup programs to skip the directory.
const TAG: (&str, &str) = (
    "CACHEDIR.TAG",
    "Signature: 8a477f597d28d172789f06886806bc55\n# Made by gainsay; it can be deleted at any time.\n",
);

fn open_cache(directory: &Path, is_default: bool) -> Result<Store, Problem> {
    let directory = std::path::absolute(directory)?;
    DirBuilder::new().recursive(true).mode(0o700).create(&directory)?;
    let found = fs::metadata(&directory)?;
    let refused = |reason: String| Problem { directory: None, reason, is_refusal: true };
    if !owner::is_trusted(found.uid()) {
        let reason = format!("the directory belongs to another user (uid {})", found.uid());
        return Err(refused(reason));
    }
    if found.mode() & 0o022 != 0 {
        return Err(refused("other users can write the directory; `chmod go-w` it, or name another".into()));
    }
    if is_default && found.mode() & 0o077 != 0 {
        // The cache tells much about the sources. Who may read a directory that the user named is up to the user.
        fs::set_permissions(&directory, private())?;
    }
    tempfile::tempfile_in(&directory)?;
    let tag = File::options().write(true).create_new(true).open(directory.join(TAG.0));
    match tag.and_then(|mut tag| tag.write_all(TAG.1.as_bytes())) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error.into()),
        _ => {}
    }
    Ok(Store { directory, identity: identity::of_this_program()?, lasts: true })
}
