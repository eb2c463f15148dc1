//! Which directory a run keeps its files in.

use super::{Hash, Store, evict, identity};
use crate::owner;
use std::fs::{self, DirBuilder, File, Permissions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// What the user says about the cache.
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
    /// Goes away with the run.
    _private: Option<TempDir>,
}

/// Opens the cache; or, where there is none, a private directory. Also a sentence for the user if he wanted a cache. A
/// directory that the user named and that others can write is an error: they could put results there.
pub fn open(args: &CacheOptions) -> Result<(Opened, Option<String>), String> {
    let limit = args.cache_limit.saturating_mul(1 << 20);
    let wanted = match &args.cache_dir {
        _ if args.no_cache => None,
        Some(named) => Some(Ok(named.clone())),
        None => usual(),
    };
    let store = wanted.map(|directory| {
        let directory = directory?;
        lasting(&directory, args.cache_dir.is_none())
            .map_err(|problem| Problem { directory: Some(directory), ..problem })
    });
    let note = match store {
        None => None,
        Some(Ok(store)) => return Ok((Opened { store, limit, _private: None }, None)),
        Some(Err(problem)) if problem.is_refusal && args.cache_dir.is_some() => return Err(problem.said()),
        Some(Err(problem)) => Some(problem.said()),
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
    /// It is there, but others can write it.
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
    fn said(&self) -> String {
        match &self.directory {
            Some(directory) => format!("{}: no cache: {}", directory.display(), self.reason),
            None => format!("no cache: {}", self.reason),
        }
    }
}

impl Opened {
    /// The run is over.
    pub fn close(self) {
        if self.store.lasts {
            evict::evict(&self.store.directory, self.limit);
        }
    }
}

/// Where the cache is if nobody names a place; `None` if the environment does not say. A home directory that is missing is
/// not made: whoever set `HOME` so did not mean to have one.
fn usual() -> Option<Result<PathBuf, Problem>> {
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

/// What backup programs look for.
const TAG: (&str, &str) = (
    "CACHEDIR.TAG",
    "Signature: 8a477f597d28d172789f06886806bc55\n# Made by gainsay; it can be deleted at any time.\n",
);

fn lasting(directory: &Path, is_usual: bool) -> Result<Store, Problem> {
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
    if is_usual && found.mode() & 0o077 != 0 {
        // What is kept tells much about the sources. Whoever named the directory decides for himself who reads it.
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
