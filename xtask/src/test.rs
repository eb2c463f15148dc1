//! `cargo xtask test`: set-up and every check that a change must pass, with a table of what took how long.

use std::time::{Duration, Instant};

use crate::{csmith, findings, invariance, oracle, process, setup, tidy, workspace};

/// Programs in the fixed csmith set; enough to meet every option set a few times.
const CSMITH_PROGRAMS: u64 = 25;

/// Programs of csmith, and as many of our own generator, whose verdicts are compared with what they execute.
const ORACLE_PROGRAMS: u64 = 60;

/// Of the random programs.
const RANDOM_SEED: &str = "2026";

type Step = (&'static str, fn() -> Result<(), String>);

const STEPS: &[Step] = &[
    ("set-up", || setup::for_tests(&workspace::root())),
    ("format", || process::run(workspace::cargo().args(["fmt", "--all", "--check"]))),
    ("tidy", tidy::run),
    ("clippy", || {
        let lint = ["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"];
        process::run(workspace::cargo().args(lint))
    }),
    // Not in release: the verifier between the passes and the overflow checks run only with debug assertions.
    // The random programs are always the same ones here, so that a failure is the change's fault; `cargo test` alone
    // takes others every time.
    ("tests", || {
        let mut tests = workspace::cargo();
        tests
            .args(["test", "--workspace", "--quiet", "--no-fail-fast"])
            .env("PROPTEST_RNG_SEED", RANDOM_SEED);
        process::run(&mut tests)
    }),
];

const SLOW_STEPS: &[Step] = &[
    ("csmith", || csmith::compare(&csmith::Settings::fixed(CSMITH_PROGRAMS))),
    ("oracle", || oracle::fixed_part(ORACLE_PROGRAMS)),
    ("findings", findings::fixed_part),
    ("same", invariance::fixed_part),
];

/// Runs the steps in order and stops at the first that fails; `quick` leaves out the slow ones.
pub(crate) fn run(quick: bool) -> Result<(), String> {
    let slow = if quick { &[] } else { SLOW_STEPS };
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
        println!("{name:<8} {:>8.1} s  {}", time.as_secs_f64(), if failed { "FAILED" } else { "ok" });
    }
    match failure {
        None => Ok(()),
        Some((name, error)) => Err(format!("step `{name}` failed: {error}")),
    }
}
