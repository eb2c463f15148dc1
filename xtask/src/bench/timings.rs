//! The lines of `gainsay check --timings FILE`, summed by stage and by function.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;

use crate::json;

/// In the order of execution.
const STAGES: &[&str] = &["parse", "lower", "passes", "encode", "witness", "solver", "explain", "confirm"];
const SLOWEST: usize = 10;

/// One line of the file.
#[derive(Deserialize)]
struct Line {
    file: String,
    function: String,
    stage: String,
    nanos: u64,
}

/// Sums of one or more runs.
#[derive(Default)]
pub(super) struct Timings {
    by_stage: BTreeMap<String, Duration>,
    /// By file and function; stages of a whole unit have no function.
    by_function: BTreeMap<(String, String), Duration>,
}

impl Timings {
    /// Reads one JSON object per line.
    pub(super) fn read(text: &str) -> Result<Timings, String> {
        let mut timings = Timings::default();
        for line in text.lines() {
            let Line { file, function, stage, nanos } =
                json::parse(line).map_err(|e| format!("timings: {e}"))?;
            let time = Duration::from_nanos(nanos);
            *timings.by_stage.entry(stage).or_default() += time;
            if !function.is_empty() {
                *timings.by_function.entry((file, function)).or_default() += time;
            }
        }
        Ok(timings)
    }

    pub(super) fn add(&mut self, other: Timings) {
        for (stage, time) in other.by_stage {
            *self.by_stage.entry(stage).or_default() += time;
        }
        for (function, time) in other.by_function {
            *self.by_function.entry(function).or_default() += time;
        }
    }

    /// The share of every stage, known ones first.
    pub(super) fn stages(&self) -> String {
        let total = self.by_stage.values().sum::<Duration>().as_secs_f64().max(1e-9);
        let known = STAGES.iter().map(|stage| (*stage).to_owned());
        let others = self.by_stage.keys().filter(|stage| !STAGES.contains(&stage.as_str())).cloned();
        let share = |stage: String| {
            let time = self.by_stage.get(&stage).copied().unwrap_or_default().as_secs_f64();
            format!("{stage} {time:.2} s ({:.0} %)", 100.0 * time / total)
        };
        known.chain(others).map(share).collect::<Vec<_>>().join(", ")
    }

    /// The slowest functions, one line each.
    pub(super) fn slowest(&self) -> Vec<String> {
        let mut all: Vec<_> = self.by_function.iter().collect();
        all.sort_by_key(|(name, time)| (std::cmp::Reverse(**time), *name));
        let line = |((file, function), time): &(&(String, String), &Duration)| {
            format!("{:>9.1} ms  {function}  {file}", time.as_secs_f64() * 1000.0)
        };
        all.iter().take(SLOWEST).map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_summed_by_stage_and_by_function() {
        let text = "{\"file\":\"a.c\",\"function\":\"\",\"stage\":\"parse\",\"nanos\":3000000000}\n\
                    {\"file\":\"a.c\",\"function\":\"f\",\"stage\":\"solver\",\"nanos\":500000000}\n\
                    {\"file\":\"a.c\",\"function\":\"f\",\"stage\":\"encode\",\"nanos\":250000000}\n\
                    {\"file\":\"a.c\",\"function\":\"g\",\"stage\":\"solver\",\"nanos\":250000000}\n";
        let timings = Timings::read(text).unwrap();
        assert!(timings.stages().starts_with("parse 3.00 s (75 %), lower 0.00 s (0 %)"));
        assert_eq!(timings.slowest(), ["    750.0 ms  f  a.c", "    250.0 ms  g  a.c"]);
        assert!(Timings::read("{\"file\":\"a.c\"}").is_err());
    }
}
