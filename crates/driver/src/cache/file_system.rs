//! The file system as this run sees it: each path is looked at once, each file is hashed at most once.

use super::{Hash, hash};
use crate::limits::TIMESTAMP_GRANULARITY;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Mutex;
use std::time::SystemTime;

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathKind {
    Nothing,
    Directory,
    File(Stat),
    Other,
}

/// Attributes that change with the contents, unless two changes have the same time stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stat {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stat {
    pub(super) fn of(path: &Path) -> Option<Stat> {
        fs::metadata(path).ok().map(|data| Stat::new(&data))
    }

    fn new(data: &fs::Metadata) -> Stat {
        Stat {
            device: data.dev(),
            inode: data.ino(),
            size: data.size(),
            modified: (data.mtime(), data.mtime_nsec()),
            changed: (data.ctime(), data.ctime_nsec()),
        }
    }

    /// Whether the last change was so long before `taken` that a later one has another time stamp, as in git's index.
    pub(super) fn is_settled(&self, taken: SystemTime) -> bool {
        let Some(before) = taken.checked_sub(TIMESTAMP_GRANULARITY) else { return false };
        let Ok(before) = before.duration_since(SystemTime::UNIX_EPOCH) else { return false };
        let limit = (before.as_secs() as i64, i64::from(before.subsec_nanos()));
        self.modified < limit && self.changed < limit
    }
}

#[derive(Default)]
pub(crate) struct FileSystem {
    looked_at: Mutex<HashMap<String, PathKind>>,
    hashed: Mutex<HashMap<String, Option<Hash>>>,
}

impl FileSystem {
    pub(super) fn look(&self, path: &str) -> PathKind {
        remembered(&self.looked_at, path, || match fs::metadata(path) {
            Ok(data) if data.is_file() => PathKind::File(Stat::new(&data)),
            Ok(data) if data.is_dir() => PathKind::Directory,
            Ok(_) => PathKind::Other,
            Err(_) => PathKind::Nothing,
        })
    }

    /// The hash of a file's contents.
    pub(super) fn hash(&self, path: &str) -> Option<Hash> {
        remembered(&self.hashed, path, || fs::read(path).ok().map(|bytes| hash(&bytes)))
    }

    /// The hash of the sorted names in a directory, each ended by a zero byte.
    pub(super) fn listing(&self, path: &str) -> Option<Hash> {
        remembered(&self.hashed, path, || {
            let mut names: Vec<Vec<u8>> = Vec::new();
            for entry in fs::read_dir(path).ok()? {
                names.push(entry.ok()?.file_name().as_bytes().to_vec());
            }
            names.sort();
            names.iter_mut().for_each(|name| name.push(0));
            Some(hash(&names.concat()))
        })
    }
}

fn remembered<T: Copy>(seen: &Mutex<HashMap<String, T>>, path: &str, look: impl FnOnce() -> T) -> T {
    if let Ok(seen) = seen.lock()
        && let Some(value) = seen.get(path)
    {
        return *value;
    }
    let value = look();
    if let Ok(mut seen) = seen.lock() {
        // Another thread may have looked meanwhile: the first value counts for the whole run.
        return *seen.entry(path.to_owned()).or_insert(value);
    }
    value
}
