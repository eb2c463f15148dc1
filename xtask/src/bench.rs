//! `cargo xtask bench`: what gainsay costs, always compared with something else in the same run.
//!
//! CPU time is compared instead of wall time, so that the ratios hold on a loaded machine too; `program` alone tells
//! both, because it asks what a second worker is good for.

mod branches;
mod check;
mod evidence;
mod frontend;
mod peers;
mod program;
mod timings;

use std::time::Duration;

use crate::options::Options;
use crate::process::Finished;

const CLANG: &str = "clang-19";
/// openssl has as many units as all others together, much alike: every so manieth is enough.
const OPENSSL_SAMPLE: usize = 20;

const HELP: &str = "\
there are five benchmarks:
  cargo xtask bench frontend [--all] [--runs N] [PACKAGE...]
  cargo xtask bench check [--all] [--runs N] [PACKAGE...]
  cargo xtask bench branches [--runs N]
  cargo xtask bench evidence [--runs N] [PACKAGE...]
  cargo xtask bench program [--runs N] [PACKAGE...]";

/// The command line: which benchmark, and its options.
pub(crate) fn run(words: &[String]) -> Result<(), String> {
    let Some((which, rest)) = words.split_first() else { return Err(HELP.into()) };
    let options = Options::new(rest);
    match which.as_str() {
        "frontend" => frontend::run(options),
        "check" => check::run(options),
        "evidence" => evidence::run(options),
        "branches" => branches::run(options),
        "program" => program::run(options),
        _ => Err(HELP.into()),
    }
}

/// Every so manieth unit of a package is measured.
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

    /// The better of two runs of the same: everything else only adds.
    fn better(self, other: Cost) -> Cost {
        Cost { cpu: self.cpu.min(other.cpu), memory_kib: self.memory_kib.min(other.memory_kib) }
    }

    /// Of two runs one after the other.
    fn then(self, other: Cost) -> Cost {
        Cost { cpu: self.cpu + other.cpu, memory_kib: self.memory_kib.max(other.memory_kib) }
    }
}
