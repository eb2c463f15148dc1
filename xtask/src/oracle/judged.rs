//! Runs an oracle on all batches of programs and prints the sums.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::compare::Tally;
use crate::csmith::{self, Programs};

/// The result for one batch of programs.
pub(super) struct Judged {
    pub(super) programs: u64,
    /// Programs without a profile: they did not end, or not with exit code 0.
    pub(super) not_usable: u64,
    pub(super) mode: &'static str,
    pub(super) outcome: Result<Tally, String>,
}

impl Judged {
    pub(super) fn compared(programs: u64, mode: &'static str, tally: Tally) -> Judged {
        Judged { programs, not_usable: 0, mode, outcome: Ok(tally) }
    }

    /// gainsay gave no verdicts.
    pub(super) fn failed(programs: u64, reason: String) -> Judged {
        Judged { programs, not_usable: 0, mode: "failed", outcome: Err(reason) }
    }

    /// Violations, or the reason why there are no verdicts.
    fn wrong(&self) -> Vec<String> {
        match &self.outcome {
            Ok(tally) => tally.violations.iter().cloned().collect(),
            Err(reason) => vec![reason.clone()],
        }
    }

    /// Removes the folder of the batch unless something is wrong.
    pub(super) fn keep_if_wrong(&self, folder: &Path) -> Result<(), String> {
        match self.wrong().is_empty() {
            true => {
                fs::remove_dir_all(folder).map_err(|e| format!("cannot remove {}: {e}", folder.display()))
            }
            false => Ok(()),
        }
    }
}

/// Judges all programs in batches of this size, on several threads, and prints the sums; an error if any edge is wrong.
/// Violations and progress are also printed at once. `name` is the default folder for failing programs.
pub(super) fn all(
    programs: &Programs,
    name: &str,
    size: u64,
    judge: impl Fn(u64, &[u64], &Path) -> Result<Judged, String> + Sync,
) -> Result<(), String> {
    let &Programs { seed: first, count, jobs, .. } = programs;
    let keep = csmith::folder(programs.keep.as_deref(), name)?;
    let batches = first / size..(first + count).div_ceil(size);
    let done = AtomicU64::new(0);
    let one = |number: u64| {
        let seeds = seeds(number, first, count, size);
        let judged = judge(number, &seeds, &keep.join(format!("batch-{number}")))
            .unwrap_or_else(|reason| Judged::failed(seeds.len() as u64, reason));
        for violation in judged.wrong() {
            eprintln!("batch {number}: {violation}");
        }
        let before = done.fetch_add(seeds.len() as u64, Ordering::Relaxed);
        let tenths = |n: u64| n * 10 / count;
        if tenths(before + seeds.len() as u64) > tenths(before) {
            eprintln!("{} of {count} programs", before + seeds.len() as u64);
        }
        Ok(judged)
    };
    print(csmith::each_seed(batches.start, batches.end - batches.start, jobs, one)?, &keep)
}

/// Creates this folder, or empties it.
pub(super) fn make_empty(folder: &Path) -> Result<(), String> {
    let error = |e: std::io::Error| format!("{}: {e}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(error)?;
    }
    fs::create_dir_all(folder).map_err(error)
}

/// The selected seeds of a batch. A seed is always in the same batch.
fn seeds(number: u64, first_seed: u64, count: u64, size: u64) -> Vec<u64> {
    let wanted = first_seed..first_seed + count;
    (number * size..(number + 1) * size).filter(|seed| wanted.contains(seed)).collect()
}

/// Prints the sums; an error if any edge is wrong.
fn print(judged: BTreeMap<u64, Judged>, keep: &Path) -> Result<(), String> {
    let (mut total, mut programs, mut not_usable, mut lines) = (Tally::default(), 0, 0, 0);
    let mut modes: BTreeMap<&str, u64> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (number, one) in judged {
        programs += one.programs;
        not_usable += one.not_usable;
        *modes.entry(one.mode).or_default() += one.programs;
        wrong.extend(one.wrong().iter().map(|violation| format!("batch {number}: {violation}")));
        if let Ok(tally) = one.outcome {
            lines += tally.lines.len();
            total.add(Tally { lines: Default::default(), ..tally });
        }
    }
    let by_mode = modes.iter().map(|(mode, n)| format!("{mode} {n}")).collect::<Vec<_>>().join(", ");
    for (what, number) in [
        ("programs", programs),
        ("without a profile", not_usable),
        ("functions judged", total.functions),
        ("- executed", total.functions_executed),
        ("executed lines judged", lines as u64),
        ("edges judged", total.edges),
        ("edges executed", total.executed),
        ("edges impossible", total.impossible),
        ("- with a counter", total.matched),
        ("- constant for clang", total.constant),
        ("- with shared counters", total.shared),
        ("edges undecided", total.undecided),
        ("edges without counter", total.unmatched),
        ("violations", wrong.len() as u64),
    ] {
        println!("{what:<22} {number:>9}");
    }
    println!("by mode: {by_mode}");
    wrong.iter().for_each(|violation| println!("  {violation}"));
    match wrong.len() {
        0 => Ok(()),
        n => Err(format!("{n} violation(s); the programs are kept in {}", keep.display())),
    }
}
