//! Checks licences, bans and sources of all dependencies with cargo-deny and deny.toml.
//!
//! Debian has no cargo-deny, so the pinned version is built once into the user's cache. Advisories are left to the GitHub
//! workflow, because their database must be downloaded.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{process, workspace};

const VERSION: &str = "0.20.2";

/// An error if a dependency is not allowed.
pub(crate) fn check() -> Result<(), String> {
    let program = install_missing()?;
    let mut check = Command::new(program);
    check.args(["--locked", "check", "--hide-inclusion-graph", "licenses", "bans", "sources"]);
    process::run(check.current_dir(workspace::root()))
}

/// Builds cargo-deny unless the pinned version is in the cache; returns the program.
fn install_missing() -> Result<PathBuf, String> {
    let home = std::env::var_os("HOME").ok_or("HOME is not set")?;
    let tools = Path::new(&home).join(".cache/gainsay/tools");
    let program = tools.join("bin/cargo-deny");
    let version = process::capture(Command::new(&program).arg("--version")).unwrap_or_default();
    if version.trim() == format!("cargo-deny {VERSION}") {
        return Ok(program);
    }
    println!("building cargo-deny {VERSION} into {}", tools.display());
    let mut install = workspace::cargo();
    // Without optimisation and debug information the build takes half the time, and a check still only seconds.
    install.args(["install", "cargo-deny", "--quiet", "--locked", "--debug", "--force"]);
    install.args(["--version", VERSION, "--root"]).arg(&tools);
    install.env("CARGO_PROFILE_DEV_DEBUG", "0").env_remove("CARGO_TARGET_DIR");
    process::capture(&mut install).map_err(|e| format!("cannot build cargo-deny (offline?): {e}"))?;
    Ok(program)
}
