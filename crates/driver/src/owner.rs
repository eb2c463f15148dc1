//! Whose files these are. What another user left where gainsay looks by itself is not used: it may be meant to mislead.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The user who can change the file, or what leads to it in its directory, if that is neither we nor root: who owns the
/// directory, the name (which may be a link) and the file.
pub(crate) fn stranger(directory: &Path, name: &str) -> Option<u32> {
    let path = directory.join(name);
    let found = [directory.metadata(), path.symlink_metadata(), path.metadata()];
    found.into_iter().flatten().map(|data| data.uid()).find(|&uid| !is_trusted(uid))
}

/// Root can change everything anyway.
pub(crate) fn is_trusted(uid: u32) -> bool {
    // SAFETY: takes no arguments and cannot fail.
    let own = unsafe { libc::geteuid() };
    uid == own || uid == 0
}
