//! Keeps the cache below its limit: what was not used for the longest time goes first.

use super::sealed::UNFINISHED;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// No run takes this long to write a file; whoever began it is dead.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Notes that a file was used.
pub(crate) fn touch(path: &Path) {
    // If that fails, the file merely looks unused.
    let _ = fs::File::open(path).and_then(|file| file.set_modified(SystemTime::now()));
}

/// Removes files until the rest is not larger than `limit` bytes. Other runs may be at work in the same directory: a file
/// that goes while they need it is made anew.
pub(crate) fn evict(directory: &Path, limit: u64) {
    let mut files = Vec::new();
    let mut total = 0;
    for path in ours(directory) {
        let Ok(data) = fs::metadata(&path) else { continue };
        let used = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        let is_unfinished = path.extension().is_some_and(|extension| extension == UNFINISHED);
        if is_unfinished && SystemTime::now().duration_since(used).is_ok_and(|age| age > ABANDONED) {
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

/// The files that this program made. The directory was named by the user and may hold others.
fn ours(directory: &Path) -> Vec<PathBuf> {
    let is_hex = |name: &str| name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let entries = |directory: &Path| fs::read_dir(directory).into_iter().flatten().flatten();
    let mut files = Vec::new();
    for shelf in entries(directory) {
        if !shelf.file_name().to_str().is_some_and(|name| name.len() == 2 && is_hex(name)) {
            continue;
        }
        for file in entries(&shelf.path()) {
            let name = file.file_name();
            let key = name.to_str().and_then(|name| name.split('.').next());
            if key.is_some_and(|key| key.len() == 62 && is_hex(key)) {
                files.push(file.path());
            }
        }
    }
    files
}
