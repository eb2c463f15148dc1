//! `cargo xtask torture`: tests the lowering. The execution tests of gcc check themselves; each that passes natively
//! must pass in the GC interpreter.
//!
//! They contain what csmith does not generate: GNU C, K&R definitions, variable-length arrays, bit-fields of all kinds,
//! unusual control flow and initialisers.

mod fetch;
mod known;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::process::{self, Finished};
use crate::{csmith, setup, workspace};

const NATIVE_LIMIT: Duration = Duration::from_secs(10);
/// The interpreter has a limit of steps; this one is for the case that it does not work.
const INTERPRETER_LIMIT: Duration = Duration::from_secs(60);
const STEPS: &str = "200000000";

/// Make clang accept the old C that gcc 12 accepts.
const OLD_C: &[&str] =
    &["-w", "-Wno-implicit-int", "-Wno-implicit-function-declaration", "-Wno-int-conversion"];

/// Options in the tests that change the meaning of a program; the others choose optimisations.
const MEANINGFUL: &[&str] = &["-std=", "-fgnu89-inline", "-fwrapv", "-fno-strict-aliasing", "-D"];

/// Exit codes of `gainsay run-gc` that do not come from the program.
const OUT_OF_STEPS: i32 = 124;
const UNSUPPORTED: i32 = 125;

/// How one program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Verdict {
    Agreed,
    /// gcc on this machine does not compile it, or it fails natively.
    NotForThisMachine,
    /// clang does not compile it, mostly because of nested functions.
    Rejected,
    OutOfSteps,
    Unsupported(String),
    /// An abort, a failed assert, a crash.
    Wrong(String),
}

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Run only the programs whose name contains this text
    #[arg(long, value_name = "TEXT", default_value = "")]
    filter: String,
    /// Number of threads
    #[arg(short = 'j', value_name = "N", default_value_t = csmith::default_jobs(), value_parser = clap::value_parser!(u64).range(1..))]
    jobs: u64,
}

/// Runs the programs and prints the tally; an error if any is wrong.
pub(crate) fn run(options: &Options) -> Result<(), String> {
    setup::for_comparisons()?;
    let programs = select(&fetch::programs()?, &options.filter)?;
    let gainsay = workspace::build_developer_commands()?;
    let scratch = workspace::target_directory()?.join("torture");
    fs::create_dir_all(&scratch).map_err(|e| format!("cannot create {}: {e}", scratch.display()))?;
    let next = AtomicUsize::new(0);
    let work = || -> Result<Vec<(String, Verdict)>, String> {
        let mut done = Vec::new();
        while let Some(source) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push((stem(source), compare(source, &gainsay, &scratch)?));
        }
        Ok(done)
    };
    let mut verdicts = BTreeMap::new();
    std::thread::scope(|scope| -> Result<(), String> {
        let workers: Vec<_> = (0..options.jobs).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            verdicts.extend(worker.join().map_err(|_| "a worker thread panicked")??);
        }
        Ok(())
    })?;
    print_tally(&verdicts)
}

/// The programs whose name contains the filter, sorted by name.
fn select(folder: &Path, filter: &str) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("cannot read {}: {e}", folder.display()))?;
    let mut programs: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "c") && stem(path).contains(filter))
        .collect();
    programs.sort();
    if programs.is_empty() { Err(format!("no program has `{filter}` in its name")) } else { Ok(programs) }
}

fn stem(source: &Path) -> String {
    source.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn compare(source: &Path, gainsay: &Path, scratch: &Path) -> Result<Verdict, String> {
    let text = fs::read(source).map_err(|e| format!("cannot read {}: {e}", source.display()))?;
    let text = String::from_utf8_lossy(&text);
    let flags = meaningful_options(&text);
    let program = scratch.join(stem(source));
    let mut compile = Command::new("gcc");
    compile.args(["-O0", "-w"]).args(&flags).arg("-o").arg(&program).arg(source).arg("-lm");
    let compiled = process::run_measured(&mut compile, None)?;
    if compiled.code != Some(0) {
        return Ok(Verdict::NotForThisMachine);
    }
    // Some programs write files.
    let native = process::run_measured(Command::new(&program).current_dir(scratch), Some(NATIVE_LIMIT))?;
    fs::remove_file(&program).map_err(|e| format!("cannot clean up {}: {e}", program.display()))?;
    if native.code != Some(0) {
        return Ok(Verdict::NotForThisMachine);
    }
    let mut interpret = workspace::call(gainsay);
    interpret.args(["run-gc", "--steps", STEPS]).arg(source).arg("--").args(OLD_C).args(&flags);
    let verdict = judge(&process::run_measured(&mut interpret, Some(INTERPRETER_LIMIT))?);
    if verdict == Verdict::Agreed {
        return Ok(verdict);
    }
    let mut check = Command::new("clang-19");
    check.arg("-fsyntax-only").args(OLD_C).args(&flags).arg(source);
    let checked = process::run_measured(&mut check, None)?;
    Ok(if checked.code == Some(0) { verdict } else { Verdict::Rejected })
}

/// The options in the program's `dg-options` comments that apply to every target.
fn meaningful_options(text: &str) -> Vec<&str> {
    let comments = text.lines().filter(|line| {
        (line.contains("dg-options") || line.contains("dg-additional-options")) && !line.contains("target")
    });
    let words = comments.flat_map(|line| line.split(['"', ' ']));
    words.filter(|word| MEANINGFUL.iter().any(|option| word.starts_with(option))).collect()
}

fn judge(interpreted: &Finished) -> Verdict {
    let reason = interpreted.stderr.lines().last().unwrap_or("no reason given").trim().to_owned();
    match interpreted.code {
        _ if interpreted.timed_out => Verdict::OutOfSteps,
        Some(0) => Verdict::Agreed,
        Some(OUT_OF_STEPS) => Verdict::OutOfSteps,
        Some(UNSUPPORTED) => Verdict::Unsupported(kind_of(&reason)),
        Some(code) => Verdict::Wrong(format!("exit code {code}: {reason}")),
        None => Verdict::Wrong(format!("the interpreter crashed: {reason}")),
    }
}

/// The unsupported construct, without its position.
fn kind_of(reason: &str) -> String {
    let reason = reason.rsplit_once("unsupported: ").map_or(reason, |(_, reason)| reason);
    reason.split_once(" in `").map_or(reason, |(kind, _)| kind).to_owned()
}

fn print_tally(verdicts: &BTreeMap<String, Verdict>) -> Result<(), String> {
    let count = |wanted: fn(&Verdict) -> bool| verdicts.values().filter(|v| wanted(v)).count();
    println!("programs              {:>6}", verdicts.len());
    println!("agreed                {:>6}", count(|v| *v == Verdict::Agreed));
    println!("not for this machine  {:>6}", count(|v| *v == Verdict::NotForThisMachine));
    println!("clang rejects         {:>6}", count(|v| *v == Verdict::Rejected));
    println!("out of steps          {:>6}", count(|v| *v == Verdict::OutOfSteps));
    println!("unsupported           {:>6}", count(|v| matches!(v, Verdict::Unsupported(_))));
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let (mut excused, mut wrong, mut stale) = (Vec::new(), Vec::new(), Vec::new());
    for (name, verdict) in verdicts {
        match (verdict, known::reason(name)) {
            (Verdict::Unsupported(reason), _) => reasons.entry(reason).or_default().push(name),
            (Verdict::Wrong(_), Some(reason)) => excused.push((name, reason)),
            (Verdict::Wrong(why), None) => wrong.push((name, why)),
            (Verdict::Agreed, Some(_)) => stale.push(name.as_str()),
            _ => {}
        }
    }
    for (reason, names) in reasons {
        println!("  {:>6}  {reason} ({})", names.len(), names[0]);
    }
    println!("known exceptions      {:>6}", excused.len());
    excused.iter().for_each(|(name, reason)| println!("  {name}: {reason}"));
    println!("wrong                 {:>6}", wrong.len());
    wrong.iter().for_each(|(name, why)| println!("  {name}: {why}"));
    if !stale.is_empty() {
        return Err(format!("pass, but are listed as known exceptions: {}", stale.join(", ")));
    }
    if wrong.is_empty() { Ok(()) } else { Err(format!("{} wrong program(s)", wrong.len())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(code: Option<i32>, stderr: &str) -> Finished {
        let stderr = stderr.to_owned();
        Finished {
            code,
            timed_out: false,
            stdout: String::new(),
            stderr,
            cpu: Duration::ZERO,
            peak_memory_kib: 0,
            peak_together_kib: 0,
        }
    }

    #[test]
    fn only_exit_code_0_agrees_and_giving_up_is_counted_by_kind() {
        assert_eq!(judge(&ended(Some(0), "")), Verdict::Agreed);
        assert_eq!(judge(&ended(Some(124), "")), Verdict::OutOfSteps);
        let havoc = "gainsay: unsupported: havoc in `main` b3 (x.c:1:2)";
        assert_eq!(judge(&ended(Some(125), havoc)), Verdict::Unsupported("havoc".into()));
        for code in [Some(1), Some(126), Some(134), None] {
            assert!(matches!(judge(&ended(code, "why")), Verdict::Wrong(why) if why.ends_with(": why")));
        }
    }

    #[test]
    fn options_that_change_the_meaning_are_read_unless_they_are_for_one_target() {
        let text = "/* { dg-options \"-O2 -fwrapv\" } */\n/* { dg-additional-options \"-std=gnu89\" } */\n\
                    /* { dg-options \"-fgnu89-inline\" { target ia32 } } */\nint x; /* -fwrapv */\n";
        assert_eq!(meaningful_options(text), ["-fwrapv", "-std=gnu89"]);
    }

    #[test]
    fn a_known_exception_must_fail() {
        let agreed = BTreeMap::from([("pr34099".to_owned(), Verdict::Agreed)]);
        assert!(print_tally(&agreed).unwrap_err().contains("pr34099"));
        let wrong = BTreeMap::from([("pr34099".to_owned(), Verdict::Wrong("an uninitialised read".into()))]);
        assert!(print_tally(&wrong).is_ok());
        let other = BTreeMap::from([("arith-1".to_owned(), Verdict::Wrong("abort".into()))]);
        assert!(print_tally(&other).is_err());
    }
}
