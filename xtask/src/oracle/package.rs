//! A second copy of a corpus package, built by clang with coverage counters, and the run of its test suite.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::coverage::{self, Coverage};
use crate::corpus::{self, Package};
use crate::process;

/// How the test suite of a package is run.
pub(super) struct Suite {
    pub(super) package: &'static str,
    /// Shell line for what the build needs; not recorded.
    prepare: &'static str,
    /// Shell line whose compiler calls are recorded; the package's own if empty.
    build: &'static str,
    /// Shell line. Failing tests do not stop it, and what they execute counts.
    test: &'static str,
}

const TEST_LIMIT: Duration = Duration::from_secs(900);

pub(super) const SUITES: &[Suite] = &[
    Suite {
        package: "zlib",
        prepare: "",
        build: "",
        test: "make check; for f in *.c; do for l in 1 3 6 9; do ./minigzip -$l <$f >t.gz; ./minigzip -d <t.gz | cmp - $f; done; done",
    },
    Suite {
        package: "gzip",
        prepare: "",
        build: "",
        test: "make -k check MAKEINFO=true ACLOCAL=: AUTOMAKE=: AUTOCONF=: AUTOHEADER=:",
    },
    Suite {
        package: "bc",
        prepare: "",
        build: "",
        // The package has test programs, but no rule that runs them.
        test: "cd Test; for f in *.b *.bc signum; do timeout 60 ../bc/bc -l $f </dev/null; done; \
               echo '2 100 ^ p 3 k 2 v p [la 1 + d sa 5 >x] sx 0 sa lx x f 16 o 255 p 2 i 101 p q' | ../dc/dc",
    },
    Suite { package: "jansson", prepare: "", build: "", test: "make -k check" },
    Suite { package: "tiff", prepare: "", build: "", test: "make -k -C test check" },
    Suite {
        package: "sqlite3",
        prepare: "make sqlite3.c sqlite3.h",
        // sqlite3.c is compiled only once: other macros would give other branches at the same positions.
        build: "make fuzzcheck",
        test: "timeout 800 ./fuzzcheck test/fuzzdata[1-8].db",
    },
];

/// The copy with coverage counters; built unless it exists.
pub(super) fn build(suite: &Suite, package: &Package) -> Result<PathBuf, String> {
    let build = if suite.build.is_empty() { package.build } else { suite.build };
    corpus::build_instrumented(package, suite.prepare, build)
}

/// Runs the test suite, unless its profiles exist; returns the coverage of each program.
pub(super) fn executed(suite: &Suite, dir: &Path) -> Result<Vec<Coverage>, String> {
    let profiles = dir.join("profiles");
    let complete = profiles.join("complete");
    if !complete.is_file() {
        if profiles.exists() {
            fs::remove_dir_all(&profiles)
                .map_err(|e| format!("cannot remove {}: {e}", profiles.display()))?;
        }
        fs::create_dir_all(&profiles).map_err(|e| format!("cannot create {}: {e}", profiles.display()))?;
        let mut test = corpus::instrumented_shell(&format!("set +e; {}", suite.test), dir)?;
        test.env(coverage::PROFILE, profiles.join(coverage::PROFILE_NAME));
        let end = process::run_measured(&mut test, Some(TEST_LIMIT))?;
        let log = dir.join("test-suite.output");
        fs::write(&log, end.stdout + &end.stderr)
            .and_then(|()| fs::write(&complete, ""))
            .map_err(|e| format!("cannot write {}: {e}", log.display()))?;
        if end.timed_out {
            println!("{:<10} test suite stopped after {} s", suite.package, TEST_LIMIT.as_secs());
        }
    }
    let programs = programs(dir)?;
    let mut by_program: BTreeMap<&Path, Vec<PathBuf>> = BTreeMap::new();
    let mut unknown = 0;
    for profile in files(&profiles, &|path| path.extension().is_some_and(|e| e == "profraw"))? {
        match profile_id(&profile)?.and_then(|id| programs.get(&id)) {
            Some(program) => by_program.entry(program).or_default().push(profile),
            None => unknown += 1,
        }
    }
    if unknown > 0 {
        println!("{:<10} {unknown} profile(s) of programs that no longer exist", suite.package);
    }
    by_program
        .iter()
        .map(|(program, profiles)| coverage::read(program, profiles, &dir.join("profiles")))
        .collect()
}

/// The programs and shared libraries below a folder, by their build id.
fn programs(dir: &Path) -> Result<BTreeMap<String, PathBuf>, String> {
    let mut programs = BTreeMap::new();
    for path in files(dir, &is_linked)? {
        let notes = process::capture(Command::new("readelf").arg("-n").arg(&path)).unwrap_or_default();
        let id = notes.lines().find_map(|line| line.trim().strip_prefix("Build ID: "));
        if let Some(id) = id {
            programs.insert(id.to_owned(), path);
        }
    }
    Ok(programs)
}

/// The build id of the program that wrote a profile.
fn profile_id(profile: &Path) -> Result<Option<String>, String> {
    let text =
        process::capture(Command::new("llvm-profdata-19").args(["show", "--binary-ids"]).arg(profile))?;
    let after = text.lines().skip_while(|line| !line.starts_with("Binary IDs")).nth(1);
    Ok(after.map(|id| id.trim().to_owned()))
}

/// Regular files below a folder, sorted.
fn files(dir: &Path, wanted: &dyn Fn(&Path) -> bool) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let listing = fs::read_dir(dir).map_err(|e| format!("cannot read {}: {e}", dir.display()))?;
    for entry in listing.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            found.extend(files(&entry.path(), wanted)?);
        } else if kind.is_file() && wanted(&entry.path()) {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

/// An ELF file that can be executed or loaded, not an object file.
fn is_linked(path: &Path) -> bool {
    use std::io::Read;
    let mut head = [0; 18];
    let read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head.starts_with(b"\x7fELF") && matches!(head[16], 2 | 3)
}
