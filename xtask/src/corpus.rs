//! `cargo xtask corpus`: fetches and builds real programs and records their compile_commands.json.
//!
//! Pinned Debian 12 source packages are fetched into a cache outside the repository, configured and built, because
//! generated headers must exist before a unit can be parsed. A package that has a compile_commands.json is complete
//! and skipped. The larger programs are prepared only by name and are not compiled.

pub(crate) mod fetch;
pub(crate) mod larger;
pub(crate) mod recorder;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crate::process;
use crate::setup::{self, Need, Probe};

/// How one package is fetched and built.
pub(crate) struct Package {
    pub(crate) name: &'static str,
    /// The pinned Debian version of the source package.
    pub(crate) version: &'static str,
    /// What must be installed in addition to the build tools that every package needs.
    needs: &'static [Need],
    /// Shell line that configures the build; not recorded.
    configure: &'static str,
    /// Shell line whose compiler calls are recorded.
    pub(crate) build: &'static str,
}

const BUILD_TOOLS: &[Need] = &[
    Need { package: "dpkg-dev", probe: Probe::Command("dpkg-source") },
    Need { package: "make", probe: Probe::Command("make") },
    Need { package: "gcc", probe: Probe::Command("gcc") },
    Need { package: "libc6-dev", probe: Probe::File("/usr/include/stdio.h") },
];
const AUTOCONF: Need = Need { package: "autoconf", probe: Probe::Command("autoreconf") };
const AUTOMAKE: Need = Need { package: "automake", probe: Probe::Command("automake") };
const LIBTOOL: Need = Need { package: "libtool", probe: Probe::Command("libtoolize") };
const BISON: Need = Need { package: "bison", probe: Probe::Command("bison") };
const FLEX: Need = Need { package: "flex", probe: Probe::Command("flex") };
const ED: Need = Need { package: "ed", probe: Probe::Command("ed") };
const M4: Need = Need { package: "m4", probe: Probe::Command("m4") };
const PERL: Need = Need { package: "perl", probe: Probe::Command("perl") };
const TCL: Need = Need { package: "tcl", probe: Probe::Command("tclsh") };
const ZLIB: Need = Need { package: "zlib1g-dev", probe: Probe::File("/usr/include/zlib.h") };
const JPEG: Need = Need { package: "libjpeg-dev", probe: Probe::File("/usr/include/jpeglib.h") };
const SSL: Need = Need { package: "libssl-dev", probe: Probe::File("/usr/include/openssl/ssl.h") };

/// Small packages first, so that an incomplete corpus is useful early.
///
/// The patched GNU packages would regenerate their configure scripts, documentation and message catalogues. `:` and
/// `true` switch this off; no C file depends on it.
pub(crate) const PACKAGES: &[Package] = &[
    Package {
        name: "zlib",
        version: "1:1.2.13.dfsg-1",
        needs: &[],
        configure: "./configure",
        build: "make -j2",
    },
    Package {
        name: "gzip",
        version: "1.12-1",
        needs: &[],
        configure: "./configure --disable-dependency-tracking",
        build: "make -j2 MAKEINFO=true ACLOCAL=: AUTOMAKE=: AUTOCONF=: AUTOHEADER=:",
    },
    Package {
        name: "bc",
        version: "1.07.1-3",
        needs: &[BISON, FLEX, ED],
        configure: "./configure --disable-dependency-tracking",
        // A helper program generates bc/libmath.h, and its objects break a parallel make.
        build: "make -j1 MAKEINFO=true ACLOCAL=: AUTOMAKE=: AUTOCONF=: AUTOHEADER=:",
    },
    Package {
        name: "sqlite3",
        version: "3.40.1-2+deb12u2",
        needs: &[TCL],
        configure: "./configure --disable-tcl --disable-readline",
        build: "make -j2",
    },
    Package {
        name: "jansson",
        version: "2.14-2",
        needs: &[AUTOCONF, AUTOMAKE, LIBTOOL],
        configure: "autoreconf -fi && ./configure --disable-dependency-tracking",
        build: "make -j2 && make -j2 check TESTS=",
    },
    Package {
        name: "ncompress",
        version: "4.2.4.6-6",
        needs: &[],
        configure: "true",
        build: "make compress",
    },
    Package {
        name: "tar",
        version: "1.34+dfsg-1.2+deb12u1",
        needs: &[BISON],
        configure: "FORCE_UNSAFE_CONFIGURE=1 ./configure --disable-dependency-tracking --disable-nls",
        build: "make -j2 MAKEINFO=true ACLOCAL=: AUTOMAKE=: AUTOCONF=: AUTOHEADER=:",
    },
    Package {
        name: "tiff",
        version: "4.5.0-6+deb12u4",
        needs: &[AUTOCONF, AUTOMAKE, LIBTOOL, ZLIB, JPEG],
        configure: "autoreconf -fi && ./configure --disable-dependency-tracking --disable-cxx --disable-docs",
        build: "make -j2 && make -j2 -C test check TESTS=",
    },
    Package {
        name: "bison",
        version: "2:3.8.2+dfsg-1",
        needs: &[M4, PERL],
        configure: "./configure --disable-dependency-tracking --disable-nls",
        // `make all` needs the manual, which Debian does not ship, so only the programs are built.
        build: "make='make -j2 ACLOCAL=: AUTOMAKE=: AUTOCONF=: AUTOHEADER=: HELP2MAN=true'; \
                echo 'headers: $(filter lib/% src/%,$(BUILT_SOURCES))' | $make -f Makefile -f - headers; \
                $make src/bison lib/liby.a",
    },
    Package {
        name: "bash",
        version: "5.2.15-2",
        needs: &[BISON],
        configure: "./configure --without-bash-malloc --disable-nls",
        build: "make -j2",
    },
    Package {
        name: "openssh",
        version: "1:9.2p1-2+deb12u10",
        needs: &[AUTOCONF, AUTOMAKE, ZLIB, SSL],
        configure: "autoreconf -fi && ./configure --without-pam --without-selinux",
        build: "make -j2",
    },
    Package {
        name: "openssl",
        version: "3.0.20-1~deb12u2",
        needs: &[PERL],
        configure: "./Configure linux-x86_64 no-asm no-tests",
        build: "make -j2 build_sw",
    },
];

/// The corpus directory: $GAINSAY_CORPUS, or a folder in the user's cache.
pub(crate) fn directory() -> Result<PathBuf, String> {
    if let Some(dir) = std::env::var_os("GAINSAY_CORPUS") {
        return std::path::absolute(dir).map_err(|e| format!("GAINSAY_CORPUS: {e}"));
    }
    let home = std::env::var_os("HOME").ok_or("neither GAINSAY_CORPUS nor HOME is set")?;
    Ok(Path::new(&home).join(".cache/gainsay/corpus"))
}

/// The packages of these names. Without names: the whole corpus except the larger programs.
pub(crate) fn select(names: &[String]) -> Result<Vec<&'static Package>, String> {
    if names.is_empty() {
        return Ok(PACKAGES.iter().collect());
    }
    let all = || PACKAGES.iter().chain(larger::PROGRAMS.iter().map(|program| &program.package));
    let find = |name: &String| {
        all().find(|p| p.name == name).ok_or_else(|| {
            let known = all().map(|p| p.name).collect::<Vec<_>>().join(" ");
            format!("no package `{name}` in the corpus; known packages: {known}")
        })
    };
    names.iter().map(find).collect()
}

/// The packages of these names that are complete, with their folders.
pub(crate) fn built(names: &[String]) -> Result<Vec<(&'static Package, PathBuf)>, String> {
    let corpus = directory()?;
    let selected = select(names)?;
    let ready: Vec<_> = selected
        .into_iter()
        .map(|package| (package, corpus.join(package.name)))
        .filter(|(_, dir)| dir.join("compile_commands.json").is_file())
        .collect();
    if ready.is_empty() {
        return Err(format!("no package is built in {}; run `cargo xtask corpus` first", corpus.display()));
    }
    Ok(ready)
}

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Packages or larger programs to build [default: all packages]
    #[arg(value_name = "PACKAGE", value_parser = names())]
    pub(crate) packages: Vec<String>,
}

/// The names of all packages and larger programs.
fn names() -> Vec<&'static str> {
    let larger = larger::PROGRAMS.iter().map(|program| &program.package);
    PACKAGES.iter().chain(larger).map(|package| package.name).collect()
}

/// Builds the named packages; continues if one fails.
pub(crate) fn run(names: &[String]) -> Result<(), String> {
    let packages = select(names)?;
    let corpus = directory()?;
    fs::create_dir_all(&corpus).map_err(|e| format!("cannot create {}: {e}", corpus.display()))?;
    let unfinished: Vec<_> =
        packages.iter().filter(|p| !corpus.join(p.name).join("compile_commands.json").is_file()).collect();
    if !unfinished.is_empty() {
        let mut needs = BUILD_TOOLS.to_vec();
        needs.extend(unfinished.iter().flat_map(|p| p.needs).copied());
        setup::install_missing(&needs)?;
        fetch::prepare(&corpus)?;
    }
    let mut failed = Vec::new();
    for package in packages {
        let start = Instant::now();
        let result = build(&corpus, package);
        let seconds = start.elapsed().as_secs();
        match result {
            Ok(units) => println!("{:<10} {units:>5} units  {seconds:>4} s", package.name),
            Err(error) => {
                println!("{:<10} FAILED after {seconds} s: {error}", package.name);
                failed.push(package.name);
            }
        }
    }
    println!("corpus: {}", corpus.display());
    if failed.is_empty() { Ok(()) } else { Err(format!("cannot build: {}", failed.join(", "))) }
}

/// Fetches, configures and builds one package; returns the number of recorded units.
fn build(corpus: &Path, package: &Package) -> Result<usize, String> {
    let dir = corpus.join(package.name);
    let database = dir.join("compile_commands.json");
    if database.is_file() {
        return recorder::count_units(&database);
    }
    println!("{:<10} building {}", package.name, package.version);
    let larger = larger::PROGRAMS.iter().find(|program| program.package.name == package.name);
    match larger.and_then(|program| program.sources_in) {
        Some(binary) => fetch::unpack_binary(corpus, binary, package, &dir)?,
        None => fetch::unpack(corpus, package, &dir)?,
    }
    let environment: Vec<_> = larger.iter().map(|program| (recorder::COMPILED, program.compiled)).collect();
    build_in(corpus, &dir, &[package.configure], package.build, &environment)
}

/// Builds a second copy of a package with clang's coverage counters; `prepare` is not recorded.
pub(crate) fn build_instrumented(package: &Package, prepare: &str, build: &str) -> Result<PathBuf, String> {
    let corpus = directory()?;
    let dir = corpus.join(format!("{}-coverage", package.name));
    if !dir.join("compile_commands.json").is_file() {
        println!("{:<10} building {} with coverage", package.name, package.version);
        setup::install_missing(&[BUILD_TOOLS, package.needs].concat())?;
        fetch::unpack_again(&corpus, package, &dir)?;
        build_in(&corpus, &dir, &[package.configure, prepare], build, INSTRUMENTED)?;
    }
    Ok(dir)
}

/// Programs that run during a build write no profiles.
const INSTRUMENTED: &[(&str, &str)] = &[(recorder::COVERAGE, "1"), ("LLVM_PROFILE_FILE", "/dev/null")];

/// A shell in a copy with coverage counters.
pub(crate) fn instrumented_shell(line: &str, dir: &Path) -> Result<Command, String> {
    let tools = recorder::install(&directory()?)?;
    let mut command = shell(line, dir, &tools)?;
    command.env_remove(recorder::LOG).envs(INSTRUMENTED.iter().copied());
    Ok(command)
}

/// Configures and builds the sources in `dir`; returns the number of recorded units.
fn build_in(
    corpus: &Path,
    dir: &Path,
    before: &[&str],
    build: &str,
    environment: &[(&str, &str)],
) -> Result<usize, String> {
    let beside = |extension: &str| dir.with_extension(extension);
    let (log, calls) = (beside("log"), beside("calls"));
    for old in [&log, &calls] {
        if old.exists() {
            fs::remove_file(old).map_err(|e| format!("cannot remove {}: {e}", old.display()))?;
        }
    }
    let tools = recorder::install(corpus)?;
    let step = |line: &str| -> Result<Command, String> {
        let mut command = shell(line, dir, &tools)?;
        command.envs(environment.iter().copied());
        Ok(command)
    };
    for line in before.iter().filter(|line| !line.is_empty()) {
        process::run_into_log(step(line)?.env_remove(recorder::LOG), &log)?;
    }
    process::run_into_log(step(build)?.env(recorder::LOG, &calls), &log)?;
    recorder::write_database(&calls, &dir.join("compile_commands.json"))
}

/// A shell with the recording compilers first in PATH.
fn shell(line: &str, dir: &Path, tools: &Path) -> Result<Command, String> {
    let old = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(tools.to_path_buf()).chain(std::env::split_paths(&old)))
        .map_err(|e| format!("cannot extend PATH: {e}"))?;
    let mut command = Command::new("sh");
    command.args(["-ec", line]).current_dir(dir).env("PATH", path).env("LC_ALL", "C");
    // The user's compiler settings must not change a pinned corpus.
    for name in ["CC", "CFLAGS", "CPPFLAGS", "LDFLAGS", "MAKEFLAGS"] {
        command.env_remove(name);
    }
    Ok(command)
}
