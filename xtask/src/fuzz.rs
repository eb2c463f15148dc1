//! `cargo xtask fuzz`: runs the fuzz tests of the crates for longer, guided by coverage.
//!
//! `cargo test` runs a fixed number of cases of each. Here they are built with LLVM's coverage counters, which the stable
//! compiler offers as an LLVM pass, so that inputs that reach new code are kept and mutated further.

use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::{process, workspace};

struct Target {
    name: &'static str,
    package: &'static str,
    /// The cargo arguments that select the test binary of the package.
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

/// Inline counters for all edges.
const COUNTERS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=3 \
                        -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Ccodegen-units=1";

/// The host triple. With `--target`, cargo leaves build scripts without counters.
fn host() -> Result<String, String> {
    let version = process::capture(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc -vV names no host".into())
}

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Time for each target
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u64,
    /// Seed of the random inputs [default: the time]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Do not use coverage to guide the mutations
    #[arg(long)]
    blind: bool,
    /// Targets to fuzz [default: all]
    #[arg(value_name = "TARGET", value_parser = TARGETS.iter().map(|target| target.name).collect::<Vec<_>>())]
    targets: Vec<String>,
}

/// Fuzzes the targets one after the other; an error names those that failed and the seed.
pub(crate) fn run(options: &Options) -> Result<(), String> {
    let Options { seconds, blind, targets: names, .. } = options;
    let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_secs());
    let seed = options.seed.unwrap_or(time);
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
