//! The file system as it is now: each path is looked at once in a run, each file is hashed at most once.

use super::{Hash, hash};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

/// Two changes within this time may leave the same time stamp behind.
const GRAIN: Duration = Duration::from_secs(2);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Now {
    Nothing,
    Directory,
    File(Stat),
    Other,
}

/// What changes whenever the contents do, if the clock moved on.
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

    /// Was the last change so long before `taken` that a later one shows? As git does with its index.
    pub(super) fn is_settled(&self, taken: SystemTime) -> bool {
        let Some(before) = taken.checked_sub(GRAIN) else { return false };
        let Ok(before) = before.duration_since(SystemTime::UNIX_EPOCH) else { return false };
        let limit = (before.as_secs() as i64, i64::from(before.subsec_nanos()));
        self.modified < limit && self.changed < limit
    }
}

#[derive(Default)]
pub struct Files {
    looked: Mutex<HashMap<String, Now>>,
    hashed: Mutex<HashMap<String, Option<Hash>>>,
}

impl Files {
    pub(super) fn look(&self, path: &str) -> Now {
        remembered(&self.looked, path, || match fs::metadata(path) {
            Ok(data) if data.is_file() => Now::File(Stat::new(&data)),
            Ok(data) if data.is_dir() => Now::Directory,
            Ok(_) => Now::Other,
            Err(_) => Now::Nothing,
        })
    }

    /// Of the contents of a file.
    pub(super) fn hash(&self, path: &str) -> Option<Hash> {
        remembered(&self.hashed, path, || fs::read(path).ok().map(|bytes| hash(&bytes)))
    }

    /// Of the sorted names in a directory, each ended by a zero byte.
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

fn remembered<T: Copy>(known: &Mutex<HashMap<String, T>>, path: &str, look: impl FnOnce() -> T) -> T {
    if let Ok(known) = known.lock()
        && let Some(now) = known.get(path)
    {
        return *now;
    }
    let now = look();
    if let Ok(mut known) = known.lock() {
        // Another thread may have looked meanwhile: what it saw counts for the whole run.
        return *known.entry(path.to_owned()).or_insert(now);
    }
    now
}
