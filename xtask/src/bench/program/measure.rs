//! One run of `gainsay check` on the merged database: what it printed and what it cost.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::json::{self, Json};
use crate::{process, workspace};

/// Where results are kept between runs.
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
    pub(super) functions: f64,
    units: f64,
    /// Units that could not be read or do not compile.
    bad_units: f64,
    /// Functions that were analysed and not found in the cache, of all; header functions count in each unit.
    anew: Option<(u64, u64)>,
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
    let report = json::parse(&end.stdout)?;
    let coverage = report.get("coverage").ok_or("the report has no coverage")?;
    let number = |name: &str| coverage.get(name).and_then(Json::as_number).unwrap_or_default();
    Ok(Measured {
        wall,
        cpu: end.cpu,
        together_kib: end.peak_together_kib,
        functions: number("functions"),
        units: number("units"),
        bad_units: number("units_failed") + number("units_with_errors"),
        anew: end.stderr.lines().find_map(anew),
        printed: end.stdout,
    })
}

/// `gainsay: cache: 3 of 17 functions analysed anew`.
fn anew(line: &str) -> Option<(u64, u64)> {
    let (_, counts) = line.split_once("cache: ")?;
    let (anew, all) = counts.strip_suffix(" functions analysed anew")?.split_once(" of ")?;
    Some((anew.parse().ok()?, all.parse().ok()?))
}

impl Measured {
    pub(super) fn seconds(&self) -> f64 {
        self.wall.as_secs_f64().max(1e-9)
    }

    /// In one line.
    pub(super) fn costs(&self) -> String {
        let (wall, cpu) = (self.wall.as_secs_f64(), self.cpu.as_secs_f64());
        format!("{wall:.2} s wall, {cpu:.2} s CPU, {} MiB", self.together_kib / 1024)
    }

    /// What a harmless edit leaves as it is: units, functions, and units that are bad.
    pub(super) fn ledger(&self) -> [f64; 3] {
        [self.units, self.functions, self.bad_units]
    }

    pub(super) fn anew_of_all(&self) -> String {
        self.anew.map_or("unknown".into(), |(anew, all)| format!("{anew} of {all}"))
    }

    /// The better of two runs of the same: everything else only adds.
    pub(super) fn least(self, other: Measured) -> Measured {
        Measured {
            wall: self.wall.min(other.wall),
            cpu: self.cpu.min(other.cpu),
            together_kib: self.together_kib.min(other.together_kib),
            ..self
        }
    }

    /// An error names the first line that differs.
    pub(super) fn must_print_the_same(&self, other: &Measured, which: &str) -> Result<(), String> {
        if self.printed == other.printed {
            return Ok(());
        }
        let mut lines = self.printed.lines().zip(other.printed.lines());
        let first = lines.position(|(one, two)| one != two);
        let at = first.map_or("one is longer".into(), |line| format!("line {}", line + 1));
        Err(format!("the JSON of {which} is not the same: {at}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_analysed_anew_is_read_from_the_summary() {
        assert_eq!(anew("gainsay: cache: 3 of 17 functions analysed anew"), Some((3, 17)));
        assert_eq!(anew("gainsay: 17 functions"), None);
    }
}
