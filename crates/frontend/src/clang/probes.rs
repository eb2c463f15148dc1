//! The files that a unit depends on besides its arguments: those that clang read and those that it looked for.

use crate::clang::ast;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// One path that clang asked the file system about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Absolute.
    pub path: PathBuf,
    pub found: Found,
}

/// BLAKE3.
pub type Hash = [u8; 32];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    Nothing,
    Directory,
    /// A file that was not read.
    File,
    /// A directory that was listed: hash of its sorted names, each terminated by a zero byte.
    Listed(Hash),
    /// A file with these contents.
    Read(Hash),
    /// Changed while it was read, or not a regular file; a later state cannot be compared.
    Unsteady,
}

impl ast::Unit {
    /// Every path that clang asked the file system about, sorted.
    pub fn probes(&self) -> Vec<Probe> {
        let found = |kind: u32, hash: Hash| match kind {
            0 => Found::Nothing,
            1 => Found::Directory,
            2 => Found::File,
            3 => Found::Listed(hash),
            4 => Found::Read(hash),
            _ => Found::Unsteady,
        };
        let path = |id: u32| {
            let bytes = self.tables.bytes_of(id).to_vec();
            PathBuf::from(OsString::from_vec(bytes))
        };
        let probes = self.tables.probes().iter();
        probes.map(|probe| Probe { path: path(probe.path), found: found(probe.kind, probe.hash) }).collect()
    }
}
