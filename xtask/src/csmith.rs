//! `cargo xtask csmith`: tests the lowering. A random C program must print the same checksum natively and in the GC
//! interpreter.
//!
//! csmith programs have no undefined behaviour, so a failed assert in the interpreter is a bug of gainsay. So is a
//! branch edge that the run takes and universal reachability calls impossible.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::process::{self, Finished};
use crate::{setup, workspace};

/// A program that runs longer is assumed not to end.
pub(crate) const NATIVE_LIMIT: Duration = Duration::from_secs(5);
/// The interpreter has a limit of steps; this one is for the case that it does not work.
const INTERPRETER_LIMIT: Duration = Duration::from_secs(120);
pub(crate) const HEADERS: &str = "-I/usr/include/csmith";

const ALWAYS: &[&str] =
    &["--bitfields", "--packed-struct", "--unions", "--volatiles", "--pointers", "--arrays", "--no-float"];

/// Chosen by seed, so that a seed always gives the same program.
const VARIATIONS: &[&[&str]] = &[
    &[],
    &["--max-funcs", "4", "--max-block-depth", "3"],
    &["--no-argc", "--max-funcs", "6"],
    &["--max-struct-fields", "16", "--max-union-fields", "8", "--max-funcs", "5"],
    &["--max-pointer-depth", "4", "--max-array-dim", "2", "--inline-function"],
    &["--max-expr-complexity", "20", "--max-block-size", "6", "--max-funcs", "5"],
    &["--no-volatiles", "--concise", "--max-funcs", "8"],
];

/// Exit codes of `gainsay run-gc` that do not come from the program.
const OUT_OF_STEPS: i32 = 124;
const UNSUPPORTED: i32 = 125;
const STUCK: i32 = 126;

/// Which random programs to use.
#[derive(Clone, clap::Args)]
pub(crate) struct Programs {
    /// Number of programs
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) count: u64,
    /// Seed of the first program; the others have the following seeds
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Directory for failing programs [default: a subdirectory of the target directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) keep: Option<PathBuf>,
    /// Number of threads
    #[arg(short = 'j', value_name = "N", default_value_t = default_jobs(), value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) jobs: u64,
}

impl Programs {
    /// The programs of every test run.
    pub(crate) fn fixed(seed: u64, count: u64) -> Programs {
        Programs { count, seed, keep: None, jobs: default_jobs() }
    }
}

pub(crate) fn default_jobs() -> u64 {
    std::thread::available_parallelism().map_or(1, |n| n.get() as u64)
}

/// Compares the programs, and each edge that the interpreter takes with gainsay's verdict on it.
pub(crate) fn run(programs: Programs) -> Result<(), String> {
    setup::for_comparisons()?;
    compare(&programs, true)
}

/// The part of every test run. Edges are left to the oracle.
pub(crate) fn fixed_part(count: u64) -> Result<(), String> {
    compare(&Programs::fixed(1, count), false)
}

/// How one program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Verdict {
    Agreed,
    NativeTimeout,
    OutOfSteps,
    Unsupported(String),
    /// Different output, a failed assert, or a crash: a bug of gainsay.
    Wrong(String),
}

/// Compares all programs and prints the tally; an error if any is wrong.
fn compare(programs: &Programs, edges: bool) -> Result<(), String> {
    let gainsay = workspace::build_developer_commands()?;
    let keep = folder(programs.keep.as_deref(), "csmith")?;
    let one = |seed| compare_one(seed, edges, &gainsay, &keep);
    let verdicts = each_seed(programs.seed, programs.count, programs.jobs, one)?;
    print_tally(&verdicts, &keep)
}

/// The folder where programs are generated and failing ones stay.
pub(crate) fn folder(wanted: Option<&Path>, default: &str) -> Result<PathBuf, String> {
    let folder = match wanted {
        // csmith runs in this folder, so a relative path would be applied twice.
        Some(dir) => std::path::absolute(dir).map_err(|e| format!("{}: {e}", dir.display()))?,
        None => workspace::target_directory()?.join(default),
    };
    fs::create_dir_all(&folder).map_err(|e| format!("cannot create {}: {e}", folder.display()))?;
    Ok(folder)
}

/// Calls `one` with every seed, on several threads.
pub(crate) fn each_seed<T: Send>(
    first: u64,
    count: u64,
    jobs: u64,
    one: impl Fn(u64) -> Result<T, String> + Sync,
) -> Result<BTreeMap<u64, T>, String> {
    let next = AtomicU64::new(first);
    let work = || -> Result<Vec<(u64, T)>, String> {
        let mut done = Vec::new();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= first + count {
                return Ok(done);
            }
            done.push((seed, one(seed)?));
        }
    };
    let mut results = BTreeMap::new();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            results.extend(worker.join().map_err(|_| "a worker thread panicked")??);
        }
        Ok(results)
    })
}

/// Writes the program of a seed into a folder.
pub(crate) fn generate(seed: u64, variation: &[&str], folder: &Path) -> Result<PathBuf, String> {
    let source = folder.join(format!("seed-{seed}.c"));
    let mut generate = Command::new("csmith");
    generate.args(["--seed", &seed.to_string()]).args(ALWAYS).args(variation).arg("--output").arg(&source);
    // csmith writes platform.info into its current folder, and fails if another csmith writes it at the same time.
    let own = folder.join(format!("seed-{seed}.csmith"));
    fs::create_dir_all(&own).map_err(|e| format!("{}: {e}", own.display()))?;
    let made = process::capture(generate.current_dir(&own));
    let _ = fs::remove_dir_all(&own);
    made?;
    Ok(source)
}

fn compare_one(seed: u64, edges: bool, gainsay: &Path, keep: &Path) -> Result<Verdict, String> {
    let variation = VARIATIONS[(seed % VARIATIONS.len() as u64) as usize];
    let source = generate(seed, variation, keep)?;
    let program = keep.join(format!("seed-{seed}"));
    let mut compile = Command::new("gcc");
    process::capture(compile.args(["-O0", "-w", HEADERS, "-o"]).arg(&program).arg(&source))?;
    let native = process::run_measured(&mut Command::new(&program), Some(NATIVE_LIMIT))?;
    let verdict = if native.timed_out {
        Verdict::NativeTimeout
    } else {
        let mut interpret = workspace::call(gainsay);
        interpret.arg("run-gc").args(edges.then_some("--edges")).arg(&source).args(["--", HEADERS]);
        judge(&native, &process::run_measured(&mut interpret, Some(INTERPRETER_LIMIT))?)
    };
    let gone = fs::remove_file(&program).and_then(|()| match verdict {
        Verdict::Wrong(_) => Ok(()),
        _ => fs::remove_file(&source),
    });
    gone.map_err(|e| format!("cannot clean up {}: {e}", keep.display()))?;
    Ok(verdict)
}

fn judge(native: &Finished, interpreted: &Finished) -> Verdict {
    let reason = interpreted.stderr.lines().last().unwrap_or("no reason given").trim().to_owned();
    match interpreted.code {
        _ if interpreted.timed_out => Verdict::OutOfSteps,
        Some(OUT_OF_STEPS) => Verdict::OutOfSteps,
        Some(UNSUPPORTED) => Verdict::Unsupported(reason),
        Some(STUCK) => Verdict::Wrong(format!("stuck: {reason}")),
        None => Verdict::Wrong(format!("the interpreter crashed: {reason}")),
        Some(_) if interpreted.stdout != native.stdout => {
            let (ours, theirs) = (interpreted.stdout.trim(), native.stdout.trim());
            let note = if ours.is_empty() { reason } else { String::new() };
            Verdict::Wrong(format!("printed `{ours}`, natively `{theirs}` {note}").trim_end().to_owned())
        }
        code if code != native.code => {
            Verdict::Wrong(format!("exit code {code:?}, natively {:?}: {reason}", native.code))
        }
        Some(_) => Verdict::Agreed,
    }
}

fn print_tally(verdicts: &BTreeMap<u64, Verdict>, keep: &Path) -> Result<(), String> {
    let count = |wanted: fn(&Verdict) -> bool| verdicts.values().filter(|v| wanted(v)).count();
    println!("programs              {:>6}", verdicts.len());
    println!("agreed                {:>6}", count(|v| *v == Verdict::Agreed));
    println!("native time-out       {:>6}", count(|v| *v == Verdict::NativeTimeout));
    println!("out of steps          {:>6}", count(|v| *v == Verdict::OutOfSteps));
    println!("unsupported           {:>6}", count(|v| matches!(v, Verdict::Unsupported(_))));
    let mut reasons: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    let mut wrong = 0;
    for (seed, verdict) in verdicts {
        match verdict {
            Verdict::Unsupported(reason) => reasons.entry(reason).or_default().push(*seed),
            Verdict::Wrong(_) => wrong += 1,
            Verdict::Agreed | Verdict::NativeTimeout | Verdict::OutOfSteps => {}
        }
    }
    for (reason, seeds) in reasons {
        println!("  {:>6}  {reason} (first seed {})", seeds.len(), seeds[0]);
    }
    println!("wrong                 {wrong:>6}");
    for (seed, verdict) in verdicts {
        if let Verdict::Wrong(why) = verdict {
            println!("  seed {seed}: {why}");
        }
    }
    if wrong == 0 { Ok(()) } else { Err(format!("{wrong} wrong program(s), kept in {}", keep.display())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(code: Option<i32>, stdout: &str, stderr: &str) -> Finished {
        let (stdout, stderr) = (stdout.to_owned(), stderr.to_owned());
        Finished {
            code,
            timed_out: false,
            stdout,
            stderr,
            cpu: Duration::ZERO,
            peak_memory_kib: 0,
            peak_together_kib: 0,
        }
    }

    #[test]
    fn only_equal_output_and_exit_code_agree() {
        let native = ended(Some(0), "checksum = 1\n", "");
        assert_eq!(judge(&native, &ended(Some(0), "checksum = 1\n", "")), Verdict::Agreed);
        for other in [
            ended(Some(0), "checksum = 2\n", ""),
            ended(Some(0), "", ""),
            ended(Some(1), "checksum = 1\n", ""),
            ended(Some(126), "", "assert failed"),
            ended(None, "checksum = 1\n", ""),
        ] {
            assert!(matches!(judge(&native, &other), Verdict::Wrong(_)));
        }
    }

    #[test]
    fn giving_up_is_reported_with_its_reason_and_is_no_error() {
        let native = ended(Some(0), "checksum = 1\n", "");
        let unsupported = ended(Some(125), "", "note\ncomputed goto\n");
        assert_eq!(judge(&native, &unsupported), Verdict::Unsupported("computed goto".into()));
        assert_eq!(judge(&native, &ended(Some(124), "", "")), Verdict::OutOfSteps);
    }
}
