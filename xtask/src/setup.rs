//! Installs what a fresh Debian 12 lacks: system packages with apt, the pinned solvers with pip.
//!
//! The probes look for files and commands, not for packages: a clang 19 that was installed in another way counts,
//! nothing is installed twice, and root is needed only if something is missing.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{process, solvers, workspace};

/// Something that must be installed, and the Debian package that contains it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Need {
    pub(crate) package: &'static str,
    pub(crate) probe: Probe,
}

/// How to find out whether a need is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Probe {
    /// A program of this name in PATH.
    Command(&'static str),
    /// This file.
    File(&'static str),
    /// This file below the prefix of LLVM 19.
    Llvm(&'static str),
}

/// Needed to build gainsay.
const TO_BUILD: &[Need] = &[
    Need { package: "g++", probe: Probe::Command("g++") },
    Need { package: "llvm-19-dev", probe: Probe::Llvm("include/llvm/Support/raw_ostream.h") },
    Need { package: "libclang-19-dev", probe: Probe::Llvm("include/clang/AST/Expr.h") },
    Need { package: "libclang-cpp19-dev", probe: Probe::Llvm("lib/libclang-cpp.so") },
    Need { package: "libclang-common-19-dev", probe: Probe::Llvm("lib/clang/19/include/stddef.h") },
];

/// Needed in addition to run the tests.
const TO_TEST: &[Need] = &[
    Need { package: "clang-19", probe: Probe::Command("clang-19") },
    Need { package: "csmith", probe: Probe::Command("csmith") },
    Need { package: "libcsmith-dev", probe: Probe::File("/usr/include/csmith/csmith.h") },
    // Coverage: the runtime library, and the tools that read profiles.
    Need { package: "llvm-19", probe: Probe::Command("llvm-cov-19") },
    Need {
        package: "libclang-rt-19-dev",
        probe: Probe::Llvm("lib/clang/19/lib/linux/libclang_rt.profile-x86_64.a"),
    },
];

/// The tools that `bench check` compares gainsay with.
const PEERS: &[Need] = &[
    Need { package: "gcc", probe: Probe::Command("gcc") },
    Need { package: "cppcheck", probe: Probe::Command("cppcheck") },
];

/// Set-up for `cargo xtask demo`.
pub(crate) fn for_demo(root: &Path) -> Result<(), String> {
    install_missing(&[TO_BUILD, &solvers::needs(root)].concat())?;
    solvers::install_missing(root)
}

/// Set-up for `cargo xtask test`.
pub(crate) fn for_tests(root: &Path) -> Result<(), String> {
    for_analyses(root)?;
    install_missing_components()
}

/// Set-up for the commands that run no solver.
pub(crate) fn for_comparisons() -> Result<(), String> {
    install_missing(&[TO_BUILD, TO_TEST].concat())
}

/// Set-up for the commands that run the analyses, including solvers.
pub(crate) fn for_analyses(root: &Path) -> Result<(), String> {
    install_missing(&[TO_BUILD, TO_TEST, &solvers::needs(root)].concat())?;
    solvers::install_missing(root)
}

/// Set-up for the comparison with other analysers.
pub(crate) fn for_peers(root: &Path) -> Result<(), String> {
    install_missing(PEERS)?;
    for_analyses(root)
}

/// A minimal Rust toolchain has neither rustfmt nor clippy.
fn install_missing_components() -> Result<(), String> {
    for (command, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        if process::capture(workspace::cargo().args([command, "--version"])).is_ok() {
            continue;
        }
        println!("installing {component} (rustup)");
        process::capture(Command::new("rustup").args(["component", "add", component])).map_err(|e| {
            format!("`cargo {command}` is missing; to install it: rustup component add {component}\n{e}")
        })?;
    }
    Ok(())
}

/// Installs the packages of all needs that are not met.
pub(crate) fn install_missing(needs: &[Need]) -> Result<(), String> {
    let machine =
        Machine { path: &|name| process::find_in_path(name), exists: &Path::exists, llvm: llvm_prefix() };
    let packages = missing(needs, &machine);
    if packages.is_empty() {
        return Ok(());
    }
    let list = packages.join(" ");
    let advice = format!("to install it, run as root: apt-get install {list}");
    if process::find_in_path("apt-get").is_none() {
        return Err(format!("missing: {list}; there is no apt-get on this system; {advice}"));
    }
    if !am_root() {
        return Err(format!("missing: {list}; only root can install packages; {advice}"));
    }
    println!("installing {list} (apt)");
    let apt_get = || {
        let mut command = Command::new("apt-get");
        command.env("DEBIAN_FRONTEND", "noninteractive").arg("-qq").stdin(Stdio::null());
        command
    };
    for arguments in [vec!["update"], [&["install", "-y", "--no-install-recommends"], &packages[..]].concat()]
    {
        process::capture(apt_get().args(arguments)).map_err(|e| {
            let why = e.lines().find(|line| line.contains("E: ")).unwrap_or(&e);
            format!("apt cannot install {list} (offline?); {advice}\n{why}")
        })?;
    }
    let machine = Machine { llvm: llvm_prefix(), ..machine };
    let still = missing(needs, &machine);
    if still.is_empty() { Ok(()) } else { Err(format!("installed but not found: {}", still.join(" "))) }
}

/// What [`missing`] needs to know about a machine.
struct Machine<'a> {
    path: &'a dyn Fn(&str) -> Option<PathBuf>,
    exists: &'a dyn Fn(&Path) -> bool,
    llvm: PathBuf,
}

/// The packages of unmet needs, each once, in the order of the needs.
fn missing(needs: &[Need], machine: &Machine) -> Vec<&'static str> {
    let met = |need: &Need| match need.probe {
        Probe::Command(name) => (machine.path)(name).is_some(),
        Probe::File(file) => (machine.exists)(Path::new(file)),
        Probe::Llvm(file) => (machine.exists)(&machine.llvm.join(file)),
    };
    let mut packages = Vec::new();
    for need in needs {
        if !met(need) && !packages.contains(&need.package) {
            packages.push(need.package);
        }
    }
    packages
}

/// The prefix of LLVM 19: from llvm-config, or Debian's default.
fn llvm_prefix() -> PathBuf {
    let asked = process::find_in_path("llvm-config-19")
        .and_then(|config| process::capture(Command::new(config).arg("--prefix")).ok());
    asked.map_or_else(|| PathBuf::from("/usr/lib/llvm-19"), |prefix| PathBuf::from(prefix.trim()))
}

fn am_root() -> bool {
    // SAFETY: plain system call without arguments.
    unsafe { libc::geteuid() == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Need> {
        [TO_BUILD, TO_TEST].concat()
    }

    #[test]
    fn on_an_empty_machine_every_package_is_missing_once() {
        let machine = Machine { path: &|_| None, exists: &|_| false, llvm: "/usr/lib/llvm-19".into() };
        let expected = all().iter().map(|need| need.package).collect::<Vec<_>>();
        assert_eq!(missing(&all(), &machine), expected);
        assert_eq!(missing(&[TO_BUILD, TO_BUILD].concat(), &machine).len(), TO_BUILD.len());
    }

    #[test]
    fn a_clang_elsewhere_counts_and_only_the_gap_is_reported() {
        let exists = |file: &Path| file.starts_with("/opt/llvm") && !file.ends_with("stddef.h");
        let path = |name: &str| (name == "g++").then(|| PathBuf::from("/bin/g++"));
        let machine = Machine { path: &path, exists: &exists, llvm: "/opt/llvm".into() };
        let expected = ["libclang-common-19-dev", "clang-19", "csmith", "libcsmith-dev", "llvm-19"];
        assert_eq!(missing(&all(), &machine), expected);
    }
}
