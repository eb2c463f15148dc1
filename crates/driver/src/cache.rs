//! What is kept on disk: unit files between the two phases of a run, and everything else from one run to the next.
//!
//! A *store* is a directory: the cache, or a private one that goes away with the run. Names of files are keys, made of
//! all that decides what a file may be used for; every file carries a checksum, is written under another name and
//! then renamed, and is ignored if anything about it is wrong. So concurrent runs need no locks, and a run that is
//! killed leaves nothing that could be mistaken for a result.
//!
//! Per unit: `.unit` (the unit itself, `unit_file`), `.manifest` (what it was made from), `.functions` (what was found
//! in each function, `functions`), `.answer` (what was found in the whole unit, one for each set of options).

pub mod answer;
pub mod evict;
pub mod files;
pub mod functions;
pub mod identity;
pub mod manifest;
pub mod place;
mod recorder;
pub mod sealed;
mod text;

use crate::units::Unit;
use gainsay_frontend::clang;
use std::path::{Path, PathBuf};

/// BLAKE3.
pub type Hash = [u8; 32];

/// Where files are kept, and by whom they were written.
#[derive(Clone, Debug)]
pub struct Store {
    pub directory: PathBuf,
    /// Of this program; files of another are not understood.
    pub identity: Hash,
    /// Outlives the run.
    pub lasts: bool,
}

/// Variables that clang's driver reads.
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
    /// The files of one unit; `extension` says which.
    pub fn path(&self, unit: &Unit, extension: &str) -> PathBuf {
        let key = hex(&self.key(unit));
        self.directory.join(&key[..2]).join(format!("{}.{extension}", &key[2..]))
    }

    /// What a unit is before a file is read.
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
        unit.own.iter().for_each(|name| {
            hasher.part(b"own").part(name.as_bytes());
        });
        hasher.finish()
    }

    pub fn write(&self, path: &Path, body: &[u8]) -> std::io::Result<()> {
        sealed::write(path, &self.identity, body)
    }

    /// `None` for anything but a file that this program wrote and that nobody changed since.
    pub fn read(&self, path: &Path) -> Option<Vec<u8>> {
        sealed::read(path, &self.identity)
    }
}

/// Hashes parts that cannot run together.
pub struct Hasher(blake3::Hasher);

impl Hasher {
    pub fn new(purpose: &str) -> Hasher {
        let mut hasher = Hasher(blake3::Hasher::new());
        hasher.part(purpose.as_bytes());
        hasher
    }

    pub fn part(&mut self, bytes: &[u8]) -> &mut Hasher {
        self.0.update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
        self
    }

    pub fn finish(&self) -> Hash {
        *self.0.finalize().as_bytes()
    }
}

pub fn hash(bytes: &[u8]) -> Hash {
    *blake3::hash(bytes).as_bytes()
}

pub fn hex(hash: &[u8]) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The inverse of [`hex`] for whole hashes.
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
