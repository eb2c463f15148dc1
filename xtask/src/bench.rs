//! `cargo xtask bench`: measures what gainsay costs, compared with other tools in the same run.
//!
//! CPU time is compared, not wall time, so that the ratios are valid on a loaded machine. Only `program` reports both,
//! because it measures the gain of a second worker.

mod branches;
mod check;
mod evidence;
mod frontend;
mod peers;
mod program;
mod timings;

use std::time::Duration;

use crate::process::Finished;

const CLANG: &str = "clang-19";
/// openssl has as many similar units as all other packages together; every twentieth is enough.
const OPENSSL_SAMPLE: usize = 20;

#[derive(clap::Subcommand)]
pub(crate) enum Benchmark {
    /// Export and lowering, compared with clang -fsyntax-only
    Frontend(OnPackages),
    /// `gainsay check`, compared with clang, gcc and cppcheck
    Check(OnPackages),
    /// Cost per branch of generated functions
    Branches(branches::Options),
    /// Number of errors and cost of each setting of --evidence
    Evidence(evidence::Options),
    /// All packages as one program: growth, a second worker, the cache, one edit
    Program(program::Options),
}

#[derive(clap::Args)]
pub(crate) struct OnPackages {
    /// Measure all units of openssl, not every twentieth
    #[arg(long)]
    all: bool,
    /// Number of runs; the best one counts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// Packages [default: all that are built]
    #[arg(value_name = "PACKAGE")]
    packages: Vec<String>,
}

pub(crate) fn run(benchmark: &Benchmark) -> Result<(), String> {
    match benchmark {
        Benchmark::Frontend(options) => frontend::run(options),
        Benchmark::Check(options) => check::run(options),
        Benchmark::Branches(options) => branches::run(options.runs),
        Benchmark::Evidence(options) => evidence::run(options),
        Benchmark::Program(options) => program::run(options),
    }
}

/// Every n-th unit of a package is measured, where n is the result.
fn sample_step(package: &str, all: bool) -> usize {
    if package == "openssl" && !all { OPENSSL_SAMPLE } else { 1 }
}

/// CPU time and peak memory of one run.
#[derive(Clone, Copy, Default)]
struct Cost {
    cpu: Duration,
    memory_kib: u64,
}

impl Cost {
    fn of(end: &Finished) -> Cost {
        Cost { cpu: end.cpu, memory_kib: end.peak_memory_kib }
    }

    /// The minimum of two runs of the same command, because other processes only add to the cost.
    fn better(self, other: Cost) -> Cost {
        Cost { cpu: self.cpu.min(other.cpu), memory_kib: self.memory_kib.min(other.memory_kib) }
    }

    /// The cost of two runs one after the other.
    fn then(self, other: Cost) -> Cost {
        Cost { cpu: self.cpu + other.cpu, memory_kib: self.memory_kib.max(other.memory_kib) }
    }
}
