//! Extracts gcc's execution tests from Debian's `gcc-12-source` package into the corpus folder, once.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{corpus, process};

const PACKAGE: &str = "gcc-12-source";
const PINNED: &str = "12.2.0-14+deb12u1";
/// Unpacks only the tests from the tarball of the whole compiler that the package contains.
const EXTRACT: &str = "archive=$(dpkg-deb --fsys-tarfile \"$1\" | tar -t | grep '/gcc-12[^/]*\\.tar\\.xz$')
dpkg-deb --fsys-tarfile \"$1\" | tar -xO \"$archive\" |
    tar -xJ --strip-components=5 --wildcards '*/gcc/testsuite/gcc.c-torture/execute/*.c'";

/// The folder of the programs; fetched if it does not exist.
pub(super) fn programs() -> Result<PathBuf, String> {
    let folder = corpus::directory()?.join("gcc-torture");
    if folder.is_dir() {
        return Ok(folder);
    }
    // Renamed when complete, so that an interrupted download is not used.
    let unfinished = folder.with_extension("part");
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished)
            .map_err(|e| format!("cannot remove {}: {e}", unfinished.display()))?;
    }
    fs::create_dir_all(&unfinished).map_err(|e| format!("cannot create {}: {e}", unfinished.display()))?;
    println!("fetching {PACKAGE} (apt, 80 MB)");
    let package = download(&unfinished)?;
    let mut extract = Command::new("sh");
    extract.args(["-ec", EXTRACT, "sh"]).arg(&package).current_dir(&unfinished);
    process::capture(&mut extract)?;
    fs::remove_file(&package).map_err(|e| format!("cannot remove {}: {e}", package.display()))?;
    fs::rename(&unfinished, &folder).map_err(|e| format!("cannot create {}: {e}", folder.display()))?;
    Ok(folder)
}

/// The pinned version, or the available one if the pinned one has been removed.
fn download(folder: &Path) -> Result<PathBuf, String> {
    let get = |what: &str| {
        let mut command = Command::new("apt-get");
        command.args(["-qq", "-o", "APT::Sandbox::User=root", "download", what]);
        process::capture(command.current_dir(folder).env("LC_ALL", "C"))
    };
    if get(&format!("{PACKAGE}={PINNED}")).is_err() {
        println!("{PACKAGE} {PINNED} is not available, using the current version");
        get(PACKAGE)?;
    }
    let entries = fs::read_dir(folder).map_err(|e| format!("cannot read {}: {e}", folder.display()))?;
    let mut files = entries.flatten().map(|entry| entry.path());
    files
        .find(|path| path.extension().is_some_and(|e| e == "deb"))
        .ok_or_else(|| format!("apt left no package in {}", folder.display()))
}
