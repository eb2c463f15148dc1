//! Files with a checksum: a file that is not exactly what this program wrote counts as missing.

use super::{Hash, Hasher};
use std::fs::{self, DirBuilder};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

const MAGIC: &[u8; 16] = b"gainsay cache 1\n";
// not a limit: file format
const HEADER: usize = MAGIC.len() + 32;

/// The extension of files that are being written.
pub(super) const UNFINISHED: &str = "tmp";

/// Replaces the file atomically: another process sees the old file or the new one. The new file is written under a name
/// that did not exist before, so no link is followed, and then renamed.
pub(super) fn write(path: &Path, identity: &Hash, body: &[u8]) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    if !fs::symlink_metadata(directory)?.is_dir() {
        return Err(io::Error::other("a link instead of a directory"));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut file = tempfile::Builder::new()
        .prefix(&format!("{name}."))
        .suffix(&format!(".{UNFINISHED}"))
        .tempfile_in(directory)?;
    file.write_all(MAGIC)?;
    file.write_all(&checksum(identity, body))?;
    file.write_all(body)?;
    file.persist(path)?;
    Ok(())
}

pub(super) fn read(path: &Path, identity: &Hash) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes).ok()?;
    if bytes.len() < HEADER || !bytes.starts_with(MAGIC) {
        return None;
    }
    let body = bytes.split_off(HEADER);
    (bytes[MAGIC.len()..] == checksum(identity, &body)).then_some(body)
}

/// Opens a regular file. Links are not followed, and pipes and devices do not block.
pub(super) fn open(path: &Path) -> Option<fs::File> {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let file = fs::File::options().read(true).custom_flags(flags).open(path).ok()?;
    file.metadata().is_ok_and(|found| found.is_file()).then_some(file)
}

fn checksum(identity: &Hash, body: &[u8]) -> Hash {
    Hasher::new("file").part(identity).part(body).finish()
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
