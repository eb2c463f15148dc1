//! `cargo xtask test`: set-up and every check that a change must pass, with a table of the time of each step.

use std::time::{Duration, Instant};

use crate::{csmith, dependencies, findings, invariance, oracle, process, setup, tidy, workspace};

/// Programs in the fixed csmith set; enough to use every variation a few times.
const CSMITH_PROGRAMS: u64 = 25;

/// Programs of csmith, and as many of our own generator, whose verdicts are compared with what they execute.
const ORACLE_PROGRAMS: u64 = 60;

/// Seed of the property tests.
const RANDOM_SEED: &str = "2026";

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Leave out the steps that run programs: csmith, oracle, findings, invariance
    #[arg(long)]
    quick: bool,
}

type Step = (&'static str, fn() -> Result<(), String>);

const STEPS: &[Step] = &[
    ("set-up", || setup::for_tests(&workspace::root())),
    ("format", || process::run(workspace::cargo().args(["fmt", "--all", "--check"]))),
    ("tidy", tidy::run),
    ("deny", dependencies::check),
    ("clippy", || {
        let lint = ["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"];
        process::run(workspace::cargo().args(lint))
    }),
    ("docs", || {
        let mut doc = workspace::cargo();
        doc.args(["doc", "--workspace", "--no-deps", "--document-private-items", "--quiet"])
            .env("RUSTDOCFLAGS", "-D warnings -A rustdoc::private_intra_doc_links");
        process::run(&mut doc)
    }),
    // Not in release mode: the verifier between the passes and the overflow checks need debug assertions. The seed is
    // fixed, so that a failure is caused by the change; `cargo test` alone uses a new seed every time.
    ("tests", || {
        let mut tests = workspace::cargo();
        tests
            .args(["test", "--workspace", "--quiet", "--no-fail-fast"])
            .env("PROPTEST_RNG_SEED", RANDOM_SEED);
        process::run(&mut tests)
    }),
];

const SLOW_STEPS: &[Step] = &[
    ("csmith", || csmith::fixed_part(CSMITH_PROGRAMS)),
    ("oracle", || oracle::fixed_part(ORACLE_PROGRAMS)),
    ("findings", findings::fixed_part),
    ("invariance", invariance::fixed_part),
];

/// Runs the steps in order and stops at the first that fails.
pub(crate) fn run(options: &Options) -> Result<(), String> {
    let slow = if options.quick { &[] } else { SLOW_STEPS };
    let start = Instant::now();
    let mut times: Vec<(&str, Duration)> = Vec::new();
    let mut failure = None;
    for (name, step) in STEPS.iter().chain(slow) {
        println!("== {name}");
        let start = Instant::now();
        let result = step();
        times.push((name, start.elapsed()));
        if let Err(error) = result {
            failure = Some((*name, error));
            break;
        }
    }
    println!();
    for (name, time) in &times {
        let failed = failure.as_ref().is_some_and(|(failed, _)| failed == name);
        println!("{name:<10} {:>8.1} s  {}", time.as_secs_f64(), if failed { "FAILED" } else { "ok" });
    }
    println!("{:<10} {:>8.1} s", "total", start.elapsed().as_secs_f64());
    match failure {
        None => Ok(()),
        Some((name, error)) => Err(format!("step `{name}` failed: {error}")),
    }
}
