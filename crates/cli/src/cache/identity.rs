//! Which program this is. Another build may find other things, so it shares nothing with this one.

use super::{Hash, Hasher};

/// Of the running program's own file: its version does not change with every build.
pub(crate) fn of_this_program() -> Result<Hash, String> {
    let bytes = std::env::current_exe()
        .and_then(std::fs::read)
        .map_err(|error| format!("gainsay cannot read itself: {error}"))?;
    Ok(Hasher::new("program").part(env!("CARGO_PKG_VERSION").as_bytes()).part(&bytes).finish())
}
