//! Owners of files. A file that the user did not name is not used if another user can have written it.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// A user other than this one and root who owns the directory, the name in it (which may be a link) or the file, and can
/// so change what the name leads to.
pub(crate) fn untrusted(directory: &Path, name: &str) -> Option<u32> {
    let path = directory.join(name);
    let found = [directory.metadata(), path.symlink_metadata(), path.metadata()];
    found.into_iter().flatten().map(|data| data.uid()).find(|&uid| !is_trusted(uid))
}

/// Whether this is the current user or root, who can change everything anyway.
pub(crate) fn is_trusted(uid: u32) -> bool {
    // SAFETY: takes no arguments and cannot fail.
    let own = unsafe { libc::geteuid() };
    uid == own || uid == 0
}
