//! Which program this is. Another build may find other things, so it shares nothing with this one.

use super::{Hash, Hasher};

/// Of the running program's own file: its version does not change with every build.
pub(crate) fn of_this_program() -> Result<Hash, String> {
    let mut contents = blake3::Hasher::new();
    std::env::current_exe()
        .and_then(std::fs::File::open)
        .and_then(|file| contents.update_reader(file).map(|_| ()))
        .map_err(|error| format!("gainsay cannot read itself: {error}"))?;
    let version = env!("CARGO_PKG_VERSION").as_bytes();
    Ok(Hasher::new("program").part(version).part(contents.finalize().as_bytes()).finish())
}
