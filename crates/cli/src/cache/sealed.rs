//! Files that are whole or count as missing.

use super::{Hash, Hasher};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

const MAGIC: &[u8; 16] = b"gainsay cache 1\n";
const HEADER: usize = MAGIC.len() + 32;

/// Of files that are being written.
pub(crate) const UNFINISHED: &str = "tmp";

/// All at once: another process sees the old file or the new one.
pub(super) fn write(path: &Path, identity: &Hash, body: &[u8]) -> io::Result<()> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    let unfinished = unfinished(path);
    let written = fs::File::create(&unfinished)
        .and_then(|mut file| {
            file.write_all(MAGIC)?;
            file.write_all(&checksum(identity, body))?;
            file.write_all(body)
        })
        .and_then(|()| fs::rename(&unfinished, path));
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    written
}

pub(super) fn read(path: &Path, identity: &Hash) -> Option<Vec<u8>> {
    let mut bytes = fs::read(path).ok()?;
    if bytes.len() < HEADER || !bytes.starts_with(MAGIC) {
        return None;
    }
    let body = bytes.split_off(HEADER);
    (bytes[MAGIC.len()..] == checksum(identity, &body)).then_some(body)
}

fn checksum(identity: &Hash, body: &[u8]) -> Hash {
    Hasher::new("file").part(identity).part(body).finish()
}

/// A name beside the file that no other process and no other thread uses.
fn unfinished(path: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{name}.{}-{count}.{UNFINISHED}", std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_files_of_this_program_are_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("ab/file.unit");
        let (ours, theirs) = ([1; 32], [2; 32]);
        write(&path, &ours, b"some text").unwrap();
        assert_eq!(read(&path, &ours).as_deref(), Some(&b"some text"[..]));
        assert_eq!(read(&path, &theirs), None);
        let whole = fs::read(&path).unwrap();
        for len in 0..whole.len() {
            fs::write(&path, &whole[..len]).unwrap();
            assert_eq!(read(&path, &ours), None, "{len} bytes");
        }
        for at in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[at] ^= 1 << (at % 8);
            fs::write(&path, &flipped).unwrap();
            assert_eq!(read(&path, &ours), None, "byte {at}");
        }
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }
}
