//! Files on disk: unit files between the read and analyse phases, and results from one run to the next.
//!
//! A *store* is a directory: the cache, or a private one that is removed after the run. File names are keys made of
//! everything that decides what a file may be used for. Every file carries a checksum, is written under another name and
//! then renamed, and is ignored if anything about it is wrong. So concurrent runs need no locks, and a killed run leaves
//! nothing that could be mistaken for a result. See docs/decisions/035-cache.md.
//!
//! Per unit: `.unit` (the lowered unit, `unit::unit_file`), `.manifest` (the files it was made from), `.functions` (the
//! results of its functions), `.answer` (the result of the whole unit, one for each set of options).

pub(crate) mod answer;
pub mod directory;
pub(crate) mod evict;
pub(crate) mod file_system;
mod function_hash;
pub(crate) mod functions;
mod identity;
pub(crate) mod manifest;
pub(crate) mod owner;
mod recorder;
mod sealed_file;

use crate::select::Unit;
use gainsay_frontend::clang;
use std::path::{Path, PathBuf};

/// BLAKE3.
pub type Hash = [u8; 32];

/// A directory of files, and the program that writes them.
#[derive(Clone, Debug)]
pub struct Store {
    pub directory: PathBuf,
    /// Identifies this build of gainsay; files of other builds are ignored.
    pub identity: Hash,
    /// The directory outlives the run.
    pub lasts: bool,
}

/// Environment variables that clang's driver reads.
const ENVIRONMENT: [&str; 8] = [
    "CPATH",
    "C_INCLUDE_PATH",
    "CCC_OVERRIDE_OPTIONS",
    "CLANG_CONFIG_FILE_SYSTEM_DIR",
    "CLANG_CONFIG_FILE_USER_DIR",
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
    "HOME",
];

impl Store {
    /// The file of a unit with this extension.
    pub(crate) fn path(&self, unit: &Unit, extension: &str) -> PathBuf {
        let key = hex(&self.key(unit));
        self.directory.join(&key[..2]).join(format!("{}.{extension}", &key[2..]))
    }

    /// Identifies a unit by everything but the contents of files.
    fn key(&self, unit: &Unit) -> Hash {
        let mut hasher = Hasher::new("unit");
        hasher.part(&self.identity).part(clang::full_version().as_bytes());
        for name in ENVIRONMENT {
            let value = std::env::var_os(name);
            hasher.part(&[u8::from(value.is_some())]).part(value.unwrap_or_default().as_encoded_bytes());
        }
        hasher.part(unit.directory.as_os_str().as_encoded_bytes());
        unit.arguments.iter().for_each(|argument| {
            hasher.part(argument.as_bytes());
        });
        unit.own_functions.iter().for_each(|name| {
            hasher.part(b"own").part(name.as_bytes());
        });
        hasher.finish()
    }

    pub(crate) fn write(&self, path: &Path, body: &[u8]) -> std::io::Result<()> {
        sealed_file::write(path, &self.identity, body)
    }

    /// `None` for anything but an unchanged file that this program wrote.
    pub(crate) fn read(&self, path: &Path) -> Option<Vec<u8>> {
        sealed_file::read(path, &self.identity)
    }
}

/// Hashes a sequence of parts; other splits of the same bytes have other hashes.
pub(crate) struct Hasher(blake3::Hasher);

impl Hasher {
    pub(crate) fn new(purpose: &str) -> Hasher {
        let mut hasher = Hasher(blake3::Hasher::new());
        hasher.part(purpose.as_bytes());
        hasher
    }

    pub(crate) fn part(&mut self, bytes: &[u8]) -> &mut Hasher {
        self.0.update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
        self
    }

    pub(crate) fn finish(&self) -> Hash {
        *self.0.finalize().as_bytes()
    }
}

pub(crate) fn hash(bytes: &[u8]) -> Hash {
    *blake3::hash(bytes).as_bytes()
}

pub(crate) fn hex(hash: &[u8]) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The hash that [`hex`] printed.
pub fn from_hex(text: &str) -> Option<Hash> {
    let mut hash = Hash::default();
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (i, byte) in hash.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * i..2 * i + 2], 16).ok()?;
    }
    Some(hash)
}
