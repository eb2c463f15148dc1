//! Keeps the cache below its limit; least recently used files are evicted.

use super::sealed_file::{UNFINISHED, open};
use crate::limits::ABANDONED_AFTER;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Marks a file as used.
pub(crate) fn touch(path: &Path) {
    // If that fails, the file is evicted earlier.
    let _ = open(path).map(|file| file.set_modified(SystemTime::now()));
}

/// Removes files until the rest has at most `limit` bytes. Other runs may use the same directory: they make a file again
/// that is removed while they need it.
pub(super) fn evict(directory: &Path, limit: u64) {
    let mut files = Vec::new();
    let mut total = 0;
    for path in own_files(directory) {
        let Ok(data) = fs::symlink_metadata(&path) else { continue };
        let used = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        let is_unfinished = path.extension().is_some_and(|extension| extension == UNFINISHED);
        if is_unfinished && SystemTime::now().duration_since(used).is_ok_and(|age| age > ABANDONED_AFTER) {
            let _ = fs::remove_file(&path);
            continue;
        }
        total += data.len();
        if !is_unfinished {
            files.push((used, path, data.len()));
        }
    }
    files.sort();
    for (_, path, len) in files {
        if total <= limit {
            break;
        }
        if fs::remove_file(&path).is_ok() {
            total -= len;
        }
    }
}

/// The files that this program wrote. The directory was named by the user and may hold others.
fn own_files(directory: &Path) -> Vec<PathBuf> {
    let is_hex = |name: &str| name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let entries = |directory: &Path| fs::read_dir(directory).into_iter().flatten().flatten();
    let mut files = Vec::new();
    for folder in entries(directory) {
        // Links are not followed.
        let is_folder = folder.file_type().is_ok_and(|kind| kind.is_dir());
        if !is_folder || !folder.file_name().to_str().is_some_and(|name| name.len() == 2 && is_hex(name)) {
            continue;
        }
        for file in entries(&folder.path()) {
            let name = file.file_name();
            let key = name.to_str().and_then(|name| name.split('.').next());
            if key.is_some_and(|key| key.len() == 62 && is_hex(key)) {
                files.push(file.path());
            }
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// Files of 100 bytes, the first used longest ago.
    fn folder(directory: &Path, names: &[&str]) -> Vec<PathBuf> {
        let folder = directory.join("ab");
        fs::create_dir(&folder).unwrap();
        let start = SystemTime::now() - Duration::from_secs(1000);
        let file = |(i, digit): (usize, &&str)| {
            let path = folder.join(format!("{}.answer", digit.repeat(62)));
            fs::write(&path, [0; 100]).unwrap();
            let used = start + Duration::from_secs(10 * i as u64);
            fs::File::options().write(true).open(&path).unwrap().set_modified(used).unwrap();
            path
        };
        names.iter().enumerate().map(file).collect()
    }

    #[test]
    fn the_least_recently_used_files_are_evicted() {
        let directory = tempfile::tempdir().unwrap();
        // Names and the order of writing do not matter.
        let files = folder(directory.path(), &["d", "a", "c", "b"]);
        touch(&files[0]);
        let exists = || files.iter().map(|file| file.exists()).collect::<Vec<bool>>();
        evict(directory.path(), 400);
        assert_eq!(exists(), [true, true, true, true]);
        evict(directory.path(), 399);
        assert_eq!(exists(), [true, false, true, true]);
        evict(directory.path(), 150);
        assert_eq!(exists(), [true, false, false, false]);
    }
}
