//! `cargo xtask fuzz`: the fuzz tests of the crates, for a long time and guided by coverage.
//!
//! `cargo test` runs a fixed number of cases of each. Here they are built with LLVM's coverage counters, which the stable
//! compiler offers as a pass of LLVM, so that inputs that reach new code are kept and mutated further.

use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::options::Options;
use crate::{process, workspace};

struct Target {
    name: &'static str,
    package: &'static str,
    /// Where in the package the test is.
    part: &'static [&'static str],
}

const TARGETS: &[Target] = &[
    Target { name: "compile_database", package: "gainsay-frontend", part: &["--lib"] },
    Target { name: "response_file", package: "gainsay-frontend", part: &["--lib"] },
    Target { name: "acsl", package: "gainsay-frontend", part: &["--lib"] },
    Target { name: "gc_text", package: "gainsay-ir", part: &["--test", "fuzz"] },
    Target { name: "models", package: "gainsay-ir", part: &["--test", "fuzz"] },
    Target { name: "solver_answer", package: "gainsay-solver", part: &["--test", "fuzz"] },
    Target { name: "unit_file", package: "gainsay", part: &["--bin", "gainsay"] },
    Target { name: "cache_entry", package: "gainsay", part: &["--bin", "gainsay"] },
    Target { name: "frame", package: "gainsay", part: &["--bin", "gainsay"] },
];

/// Counters for all edges, in place.
const COUNTERS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=3 \
                        -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Ccodegen-units=1";

/// With `--target` the counters are for the crates alone, not for build scripts.
fn host() -> Result<String, String> {
    let version = process::capture(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc -vV names no host".into())
}

/// The command line: `[--seconds N] [--seed S] [--blind] [TARGET...]`.
pub(crate) fn run(mut options: Options) -> Result<(), String> {
    let seconds = options.number("--seconds", 60)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_secs());
    let seed = options.number("--seed", now)?;
    let blind = options.flag("--blind");
    let names = options.words()?;
    let known = TARGETS.iter().map(|target| target.name).collect::<Vec<_>>().join(" ");
    if let Some(name) = names.iter().find(|name| !TARGETS.iter().any(|target| target.name == **name)) {
        return Err(format!("no fuzz target `{name}`; there are: {known}"));
    }
    let mut failed = Vec::new();
    for target in TARGETS.iter().filter(|t| names.is_empty() || names.iter().any(|name| name == t.name)) {
        let mut test = workspace::cargo();
        test.args(["test", "--quiet", "--package", target.package]).args(target.part);
        if !blind {
            let folder = workspace::target_directory()?.join("fuzz");
            test.args(["--target", &host()?]).arg("--target-dir").arg(folder).env("RUSTFLAGS", COUNTERS);
        }
        test.arg(format!("fuzz_{}", target.name)).args(["--", "--nocapture"]);
        test.env("GAINSAY_FUZZ_SECONDS", seconds.to_string()).env("GAINSAY_FUZZ_SEED", seed.to_string());
        if let Err(error) = process::run(&mut test) {
            println!("{}: {error}", target.name);
            failed.push(target.name);
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("failed with seed {seed}: {}", failed.join(" "))) }
}
