//! Paths and binaries of the working copy: the repository, the target directory, gainsay.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::json::{self, Value};
use crate::process;

/// The root of the working copy.
pub(crate) fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_path_buf()
}

/// The cargo that started xtask, in the working copy.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// The target directory, which the user may have configured.
pub(crate) fn target_directory() -> Result<PathBuf, String> {
    let text = process::capture(cargo().args(["metadata", "--format-version=1", "--no-deps"]))?;
    let metadata: Value = json::parse(&text)?;
    let target = metadata["target_directory"].as_str();
    target.map(PathBuf::from).ok_or_else(|| "cargo metadata names no target directory".into())
}

/// The package, and binary, with the developer's commands: `edges`, `run-gc`, `roundtrip`, `bench-lower`.
const DEVELOPER: &str = "gainsay-dev";

/// Builds gainsay in release mode and returns the binary, or the one that $GAINSAY_BINARY names.
pub(crate) fn build_gainsay() -> Result<PathBuf, String> {
    build("gainsay", "GAINSAY_BINARY")
}

/// Builds the developer's commands in release mode and returns the binary, or the one that $GAINSAY_DEV_BINARY names.
pub(crate) fn build_developer_commands() -> Result<PathBuf, String> {
    build(DEVELOPER, "GAINSAY_DEV_BINARY")
}

fn build(package: &str, variable: &str) -> Result<PathBuf, String> {
    if let Some(binary) = std::env::var_os(variable) {
        return std::path::absolute(binary).map_err(|e| format!("{variable}: {e}"));
    }
    process::run(cargo().args(["build", "--release", "--package", package]))?;
    let target = target_directory()?;
    offer_solvers(&target)?;
    Ok(target.join("release").join(package))
}

/// Links the solvers of the working copy to where an installed gainsay looks for them, so that `target/release/gainsay`
/// works without $GAINSAY_SOLVERS.
fn offer_solvers(target: &Path) -> Result<(), String> {
    let link = target.join("libexec/gainsay");
    if link.symlink_metadata().is_ok() {
        return Ok(());
    }
    std::fs::create_dir_all(target.join("libexec"))
        .and_then(|()| std::os::unix::fs::symlink(root().join(".solvers/bin"), &link))
        .map_err(|e| format!("cannot create {}: {e}", link.display()))
}

/// A call of a built binary with the solvers of the working copy, unless $GAINSAY_SOLVERS names others.
pub(crate) fn call(binary: &Path) -> Command {
    let mut command = Command::new(binary);
    if std::env::var_os("GAINSAY_SOLVERS").is_none() {
        command.env("GAINSAY_SOLVERS", root().join(".solvers/bin"));
    }
    command
}
