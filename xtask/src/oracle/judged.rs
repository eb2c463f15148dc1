//! What became of the programs of an oracle, and the table of it.

use std::collections::BTreeMap;
use std::path::Path;

use super::compare::Tally;

/// What became of one batch of programs.
pub(super) struct Judged {
    pub(super) programs: u64,
    /// They did not end, or not with 0: their counters say nothing.
    pub(super) not_usable: u64,
    mode: &'static str,
    outcome: Result<Tally, String>,
}

impl Judged {
    pub(super) fn compared(programs: u64, mode: &'static str, tally: Tally) -> Judged {
        Judged { programs, not_usable: 0, mode, outcome: Ok(tally) }
    }

    /// gainsay has no verdicts.
    pub(super) fn failed(programs: u64, reason: String) -> Judged {
        Judged { programs, not_usable: 0, mode: "failed", outcome: Err(reason) }
    }

    pub(super) fn is_wrong(&self) -> bool {
        !matches!(&self.outcome, Ok(tally) if tally.violations.is_empty())
    }
}

/// Prints the sums; an error if any edge is wrong. `what` is what the numbers number.
pub(super) fn print(judged: BTreeMap<u64, Judged>, what: &str, keep: &Path) -> Result<(), String> {
    let (mut total, mut programs, mut not_usable, mut lines) = (Tally::default(), 0, 0, 0);
    let mut modes: BTreeMap<&str, u64> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (number, one) in judged {
        programs += one.programs;
        not_usable += one.not_usable;
        *modes.entry(one.mode).or_default() += one.programs;
        match one.outcome {
            Ok(tally) => {
                wrong.extend(tally.violations.iter().map(|violation| format!("{what} {number}: {violation}")));
                lines += tally.lines.len();
                total.add(Tally { lines: Default::default(), ..tally });
            }
            Err(reason) => wrong.push(format!("{what} {number}: {reason}")),
        }
    }
    let by_mode = modes.iter().map(|(mode, n)| format!("{mode} {n}")).collect::<Vec<_>>().join(", ");
    for (what, number) in [
        ("programs", programs),
        ("without a good end", not_usable),
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
