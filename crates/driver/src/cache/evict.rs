//! Keeps the cache below its limit: what was not used for the longest time goes first.

use super::sealed::{UNFINISHED, open};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// No run takes this long to write a file; whoever began it is dead.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Notes that a file was used.
pub fn touch(path: &Path) {
    // If that fails, the file merely looks unused.
    let _ = open(path).map(|file| file.set_modified(SystemTime::now()));
}

/// Removes files until the rest is not larger than `limit` bytes. Other runs may be at work in the same directory: a file
/// that goes while they need it is made anew.
pub fn evict(directory: &Path, limit: u64) {
    let mut files = Vec::new();
    let mut total = 0;
    for path in ours(directory) {
        let Ok(data) = fs::symlink_metadata(&path) else { continue };
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
        // A link leads to files that are not ours.
        let is_shelf = shelf.file_type().is_ok_and(|kind| kind.is_dir());
        if !is_shelf || !shelf.file_name().to_str().is_some_and(|name| name.len() == 2 && is_hex(name)) {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Files of 100 bytes, the first used longest ago.
    fn shelf(directory: &Path, names: &[&str]) -> Vec<PathBuf> {
        let shelf = directory.join("ab");
        fs::create_dir(&shelf).unwrap();
        let start = SystemTime::now() - Duration::from_secs(1000);
        let file = |(i, digit): (usize, &&str)| {
            let path = shelf.join(format!("{}.answer", digit.repeat(62)));
            fs::write(&path, [0; 100]).unwrap();
            let used = start + Duration::from_secs(10 * i as u64);
            fs::File::options().write(true).open(&path).unwrap().set_modified(used).unwrap();
            path
        };
        names.iter().enumerate().map(file).collect()
    }

    #[test]
    fn the_least_recently_used_goes_first_and_no_more_than_must() {
        let directory = tempfile::tempdir().unwrap();
        // Neither names nor the order of writing decide.
        let files = shelf(directory.path(), &["d", "a", "c", "b"]);
        touch(&files[0]);
        let left = || files.iter().map(|file| file.exists()).collect::<Vec<bool>>();
        evict(directory.path(), 400);
        assert_eq!(left(), [true, true, true, true]);
        evict(directory.path(), 399);
        assert_eq!(left(), [true, false, true, true]);
        evict(directory.path(), 150);
        assert_eq!(left(), [true, false, false, false]);
    }
}
