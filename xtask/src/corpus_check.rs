//! `cargo xtask corpus-check`: runs gainsay on real programs. For each package it reports what was lowered, what was
//! given up and why, gaps by kind, and whether printing and reading back preserves every function.

use std::collections::BTreeMap;
use std::path::Path;

use crate::json::{self, Value};
use crate::{corpus, half_includes, process, setup, workspace};

/// The share of functions that may be given up must stay below this.
const GIVEN_UP_TARGET: f64 = 0.01;
/// Examples shown per reason.
const EXAMPLES: usize = 3;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Number of workers [default: gainsay's]
    #[arg(short = 'j', value_name = "N")]
    jobs: Option<u64>,
    /// Remove every second -I flag first, so that headers are missing
    #[arg(long)]
    half_includes: bool,
    /// Packages [default: all that are built]
    #[arg(value_name = "PACKAGE")]
    packages: Vec<String>,
}

/// Checks the packages; an error if units fail, too many functions are given up, or the round trip changes one.
pub(crate) fn run(options: &Options) -> Result<(), String> {
    let packages = corpus::built(&options.packages)?;
    setup::for_comparisons()?;
    let gainsay = workspace::build_gainsay()?;
    let developer = workspace::build_developer_commands()?;
    println!("{HEADING}");
    let mut total = Ledger::default();
    let mut broken = Vec::new();
    for (package, dir) in packages {
        let dir = if options.half_includes { half_includes::database(&dir)? } else { dir };
        let ledger = check(&gainsay, &dir, options.jobs).map_err(|e| format!("{}: {e}", package.name))?;
        let round_trip =
            process::run_measured(workspace::call(&developer).arg("roundtrip").arg("-p").arg(&dir), None)?;
        let result = match round_trip.code {
            Some(0) => "same",
            Some(1) => "DIFFERS",
            _ => "FAILED",
        };
        println!("{}  {result}", ledger.row(package.name));
        if result != "same" {
            let lines = round_trip.stdout.lines().chain(round_trip.stderr.lines());
            lines.take(1 + EXAMPLES).for_each(|line| println!("  round trip: {line}"));
            broken.push(package.name);
        }
        total.add(ledger);
    }
    println!("{}\n", total.row("total"));
    total.print_details();
    if !broken.is_empty() {
        return Err(format!("printing and reading back changes functions of: {}", broken.join(" ")));
    }
    // There is no target for packages without their headers.
    if options.half_includes { Ok(()) } else { total.verdict() }
}

const HEADING: &str =
    "package      units  failed  erroneous  functions  given up      %      gaps  round trip";

/// The `coverage` member of gainsay's report, for one package or for all.
#[derive(Default)]
struct Ledger {
    units: u64,
    failed: u64,
    erroneous: u64,
    functions: u64,
    gaps: BTreeMap<String, u64>,
    /// Positions of functions, by reason.
    given_up: BTreeMap<String, Vec<String>>,
    broken_units: Vec<String>,
}

fn check(gainsay: &Path, dir: &Path, jobs: Option<u64>) -> Result<Ledger, String> {
    let mut command = workspace::call(gainsay);
    command.args(["check", "--format", "json", "--no-cache", "-p"]).arg(dir);
    command.args(jobs.map(|n| format!("-j{n}")));
    let end = process::run_measured(&mut command, None)?;
    let report: Value = json::parse(&end.stdout).map_err(|e| {
        let message = end.stderr.lines().last().unwrap_or("no message");
        format!("gainsay ended with {:?} and no report ({e}): {message}", end.code)
    })?;
    report.get("coverage").map(Ledger::read).ok_or_else(|| "the report has no `coverage`".into())
}

impl Ledger {
    fn read(coverage: &Value) -> Ledger {
        let number = |name: &str| coverage[name].as_u64().unwrap_or_default();
        let list = |name: &str| json::items(&coverage[name]);
        let text = |value: &Value, name: &str| value[name].as_str().unwrap_or("?").to_owned();
        let mut ledger = Ledger {
            units: number("units"),
            failed: number("units_failed"),
            erroneous: number("units_with_errors"),
            functions: number("functions"),
            ..Ledger::default()
        };
        if let Some(gaps) = coverage["gaps"].as_object() {
            let count = |(kind, n): (&String, &Value)| (kind.clone(), n.as_u64().unwrap_or_default());
            ledger.gaps = gaps.iter().map(count).collect();
        }
        for function in list("functions_given_up") {
            let line = function["line"].as_u64().unwrap_or_default();
            let place = format!("{}:{line} {}", text(function, "file"), text(function, "function"));
            ledger.given_up.entry(text(function, "reason")).or_default().push(place);
        }
        for unit in list("failed_units").iter().chain(list("erroneous_units")) {
            ledger.broken_units.push(format!("{}: {}", text(unit, "file"), text(unit, "reason")));
        }
        ledger
    }

    fn given_up_count(&self) -> usize {
        self.given_up.values().map(Vec::len).sum()
    }

    fn given_up_share(&self) -> f64 {
        self.given_up_count() as f64 / self.functions.max(1) as f64
    }

    fn add(&mut self, other: Ledger) {
        self.units += other.units;
        self.failed += other.failed;
        self.erroneous += other.erroneous;
        self.functions += other.functions;
        for (kind, count) in other.gaps {
            *self.gaps.entry(kind).or_default() += count;
        }
        for (reason, places) in other.given_up {
            self.given_up.entry(reason).or_default().extend(places);
        }
        self.broken_units.extend(other.broken_units);
    }

    fn row(&self, name: &str) -> String {
        format!(
            "{name:<10} {:>7} {:>7} {:>10} {:>10} {:>9} {:>6.2} {:>9}",
            self.units,
            self.failed,
            self.erroneous,
            self.functions,
            self.given_up_count(),
            self.given_up_share() * 100.0,
            self.gaps.values().sum::<u64>()
        )
    }

    fn print_details(&self) {
        println!("gaps by kind");
        let mut gaps: Vec<_> = self.gaps.iter().collect();
        gaps.sort_by_key(|(kind, count)| (std::cmp::Reverse(**count), *kind));
        for (kind, count) in gaps {
            println!("{count:>9}  {kind}");
        }
        println!("given up by reason");
        for (reason, places) in &self.given_up {
            println!("{:>9}  {reason}: {}", places.len(), places[..places.len().min(EXAMPLES)].join(", "));
        }
        println!("units that failed or have errors");
        for unit in &self.broken_units {
            println!("           {unit}");
        }
    }

    fn verdict(&self) -> Result<(), String> {
        if self.failed > 0 {
            return Err(format!("{} unit(s) failed", self.failed));
        }
        // Without functions none is given up, but nothing was analysed either.
        if self.functions == 0 {
            return Err("no function was analysed".into());
        }
        if self.given_up_share() >= GIVEN_UP_TARGET {
            let share = self.given_up_share() * 100.0;
            return Err(format!("{share:.2} % of the functions given up, the target is under 1 %"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger(functions: u64, given_up: usize) -> Ledger {
        let one = r#"{"file":"a.c","line":3,"function":"f","reason":"computed goto"}"#;
        let many = vec![one; given_up].join(",");
        let text = format!(
            r#"{{"units":2,"units_failed":0,"units_with_errors":1,"functions":{functions},"gaps":{{"asm":4}},
                "functions_given_up":[{many}],"failed_units":[],"erroneous_units":[{{"file":"b.c","reason":"x"}}]}}"#
        );
        Ledger::read(&json::parse::<Value>(&text).unwrap())
    }

    #[test]
    fn ledgers_add_up() {
        let mut total = ledger(100, 0);
        total.add(ledger(200, 2));
        assert_eq!((total.units, total.functions, total.given_up_count()), (4, 300, 2));
        assert_eq!(total.gaps["asm"], 8);
        assert_eq!(total.given_up["computed goto"][0], "a.c:3 f");
        assert_eq!(total.broken_units.len(), 2);
    }

    #[test]
    fn too_many_functions_given_up_or_none_analysed_is_a_failure() {
        assert_eq!(ledger(300, 2).verdict(), Ok(()));
        assert!(ledger(200, 2).verdict().is_err());
        assert!(ledger(0, 0).verdict().unwrap_err().contains("no function"));
    }
}
