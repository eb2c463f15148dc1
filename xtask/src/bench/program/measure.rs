//! One run of `gainsay check` on the merged database: its report and its cost.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::json::{self, Value};
use crate::{process, workspace};

/// The cache of a run.
#[derive(Clone, Copy)]
pub(super) enum Cache<'a> {
    None,
    In(&'a Path),
}

pub(super) struct Measured {
    /// The report, as JSON.
    pub(super) printed: String,
    wall: Duration,
    pub(super) cpu: Duration,
    pub(super) together_kib: u64,
    pub(super) functions: u64,
    units: u64,
    /// Units that cannot be read or have errors.
    bad_units: u64,
    /// Functions that were analysed because they were not in the cache, and all functions. A function in a header counts
    /// once for each unit.
    analysed: Option<(u64, u64)>,
}

/// Runs gainsay on the database in `scratch`.
pub(super) fn check(
    gainsay: &Path,
    scratch: &Path,
    workers: usize,
    cache: Cache,
) -> Result<Measured, String> {
    let mut command = workspace::call(gainsay);
    command.args(["check", "--format", "json"]).arg(format!("-j{workers}")).arg("-p").arg(scratch);
    match cache {
        Cache::None => command.arg("--no-cache"),
        Cache::In(directory) => command.arg("--cache-dir").arg(directory),
    };
    let start = Instant::now();
    let end = process::run_watched(&mut command)?;
    let wall = start.elapsed();
    if !matches!(end.code, Some(0 | 1)) {
        let message = end.stderr.lines().last().unwrap_or("no message");
        return Err(format!("gainsay ended with {:?}: {message}", end.code));
    }
    let report: Value = json::parse(&end.stdout)?;
    let coverage = report.get("coverage").ok_or("the report has no coverage")?;
    let number = |name: &str| coverage[name].as_u64().unwrap_or_default();
    Ok(Measured {
        wall,
        cpu: end.cpu,
        together_kib: end.peak_together_kib,
        functions: number("functions"),
        units: number("units"),
        bad_units: number("units_failed") + number("units_with_errors"),
        analysed: end.stderr.lines().find_map(analysed),
        printed: end.stdout,
    })
}

/// Reads the counts from `gainsay: cache: 3 of 17 functions re-analysed`.
fn analysed(line: &str) -> Option<(u64, u64)> {
    let (_, counts) = line.split_once("cache: ")?;
    let (analysed, all) = counts.strip_suffix(" functions re-analysed")?.split_once(" of ")?;
    Some((analysed.parse().ok()?, all.parse().ok()?))
}

impl Measured {
    pub(super) fn seconds(&self) -> f64 {
        self.wall.as_secs_f64().max(1e-9)
    }

    /// Time and memory in one line.
    pub(super) fn costs(&self) -> String {
        let (wall, cpu) = (self.wall.as_secs_f64(), self.cpu.as_secs_f64());
        format!("{wall:.2} s wall, {cpu:.2} s CPU, {} MiB", self.together_kib / 1024)
    }

    /// The counts that a harmless edit does not change: units, functions, and bad units.
    pub(super) fn ledger(&self) -> [u64; 3] {
        [self.units, self.functions, self.bad_units]
    }

    pub(super) fn analysed_of_all(&self) -> String {
        self.analysed.map_or("unknown".into(), |(analysed, all)| format!("{analysed} of {all}"))
    }

    /// The minimum of two runs of the same command, because other processes only add to the cost.
    pub(super) fn least(self, other: Measured) -> Measured {
        Measured {
            wall: self.wall.min(other.wall),
            cpu: self.cpu.min(other.cpu),
            together_kib: self.together_kib.min(other.together_kib),
            ..self
        }
    }

    /// The error names the first line that differs.
    pub(super) fn must_print_the_same(&self, other: &Measured, which: &str) -> Result<(), String> {
        if self.printed == other.printed {
            return Ok(());
        }
        let mut lines = self.printed.lines().zip(other.printed.lines());
        let first = lines.position(|(one, two)| one != two);
        let at = first.map_or("one is longer".into(), |line| format!("line {}", line + 1));
        Err(format!("the JSON of {which} differs: {at}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_analysed_functions_is_read_from_the_summary() {
        assert_eq!(analysed("gainsay: cache: 3 of 17 functions re-analysed"), Some((3, 17)));
        assert_eq!(analysed("gainsay: 17 functions"), None);
    }
}
