//! Where things are: the repository, the target folder, the gainsay binary.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::json::{self, Json};
use crate::process;

/// The top of the working copy.
pub(crate) fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_path_buf()
}

/// `cargo` as it was called, in the working copy.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// The target folder, wherever the user's settings put it.
pub(crate) fn target_directory() -> Result<PathBuf, String> {
    let text = process::capture(cargo().args(["metadata", "--format-version=1", "--no-deps"]))?;
    let metadata = json::parse(&text)?;
    let target = metadata.get("target_directory").and_then(Json::as_str);
    target.map(PathBuf::from).ok_or_else(|| "cargo metadata names no target directory".into())
}

/// Builds gainsay in release; returns the binary. $GAINSAY_BINARY names another one, which is taken as it is.
pub(crate) fn build_gainsay() -> Result<PathBuf, String> {
    if let Some(binary) = std::env::var_os("GAINSAY_BINARY") {
        return std::path::absolute(binary).map_err(|e| format!("GAINSAY_BINARY: {e}"));
    }
    process::run(cargo().args(["build", "--release", "--package", "gainsay"]))?;
    let target = target_directory()?;
    offer_solvers(&target)?;
    Ok(target.join("release/gainsay"))
}

/// Puts the solvers of the working copy where an installed gainsay looks for them, so that `target/release/gainsay` can be
/// called by hand.
fn offer_solvers(target: &Path) -> Result<(), String> {
    let link = target.join("libexec/gainsay");
    if link.symlink_metadata().is_ok() {
        return Ok(());
    }
    std::fs::create_dir_all(target.join("libexec"))
        .and_then(|()| std::os::unix::fs::symlink(root().join(".solvers/bin"), &link))
        .map_err(|e| format!("cannot create {}: {e}", link.display()))
}

/// The program of [`build_gainsay`], which finds the solvers of the working copy wherever the target folder is.
pub(crate) fn call(gainsay: &Path) -> Command {
    let mut command = Command::new(gainsay);
    command.env("GAINSAY_SOLVERS", root().join(".solvers/bin"));
    command
}
