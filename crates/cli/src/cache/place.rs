//! Which directory a run keeps its files in.

use super::{Hash, Store, evict, identity};
use crate::args::CacheArgs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A store that is open for one run.
pub(crate) struct Opened {
    pub(crate) store: Store,
    limit: u64,
    /// Goes away with the run.
    _private: Option<TempDir>,
}

/// Opens the cache; or, where there is none, a private directory. Also a sentence for the user if he wanted a cache.
pub(crate) fn open(args: &CacheArgs) -> Result<(Opened, Option<String>), String> {
    let limit = args.cache_limit.saturating_mul(1 << 20);
    let wanted = args.cache_dir.clone().or_else(usual).filter(|_| !args.no_cache);
    let mut note = None;
    if let Some(directory) = wanted {
        match lasting(&directory) {
            Ok(store) => return Ok((Opened { store, limit, _private: None }, None)),
            Err(problem) => note = Some(format!("{}: no cache: {problem}", directory.display())),
        }
    }
    let private = tempfile::Builder::new().prefix("gainsay-").tempdir();
    let private = private.map_err(|error| format!("no directory for temporary files: {error}"))?;
    let store = Store { directory: private.path().to_owned(), identity: Hash::default(), lasts: false };
    Ok((Opened { store, limit, _private: Some(private) }, note))
}

impl Opened {
    /// The run is over.
    pub(crate) fn close(self) {
        if self.store.lasts {
            evict::evict(&self.store.directory, self.limit);
        }
    }
}

fn usual() -> Option<PathBuf> {
    let named = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = named("XDG_CACHE_HOME").or_else(|| named("HOME").map(|home| home.join(".cache")))?;
    Some(home.join("gainsay/cache"))
}

/// What backup programs look for.
const TAG: (&str, &str) = (
    "CACHEDIR.TAG",
    "Signature: 8a477f597d28d172789f06886806bc55\n# Made by gainsay; it can be deleted at any time.\n",
);

fn lasting(directory: &Path) -> Result<Store, String> {
    let directory = std::path::absolute(directory).map_err(|error| error.to_string())?;
    std::fs::create_dir_all(&directory).map_err(|error| error.to_string())?;
    tempfile::tempfile_in(&directory).map_err(|error| error.to_string())?;
    let tag = directory.join(TAG.0);
    if !tag.exists() {
        std::fs::write(tag, TAG.1).map_err(|error| error.to_string())?;
    }
    Ok(Store { directory, identity: identity::of_this_program()?, lasts: true })
}
