//! `cargo xtask bench frontend`: measures export and lowering, compared with `clang -fsyntax-only` on the same arguments.
//!
//! The two run alternately, so that the ratios are valid on a loaded machine.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::{CLANG, Cost, OnPackages, sample_step};
use crate::{corpus, process, setup, units, workspace};

const CPU_TARGET: f64 = 1.7;
const MEMORY_TARGET: f64 = 2.0;

pub(super) fn run(options: &OnPackages) -> Result<(), String> {
    let runs = options.runs;
    let packages = corpus::built(&options.packages)?;
    setup::for_comparisons()?;
    let (gainsay, developer) = (workspace::build_gainsay()?, workspace::build_developer_commands()?);
    println!("{HEADING}");
    let mut total = Tally::default();
    for (package, dir) in packages {
        let step = sample_step(package.name, options.all);
        let tally = measure(&gainsay, &developer, &dir, step, runs)?;
        println!("{}", tally.row(package.name));
        tally.failures.iter().for_each(|failure| println!("  {failure}"));
        total.add(tally);
    }
    println!("{}", total.row("total"));
    println!("targets: CPU <= {CPU_TARGET}, memory <= {MEMORY_TARGET}; each unit the best of {runs} run(s)");
    total.verdict()
}

/// The cost of all units of a package for both tools.
#[derive(Default)]
struct Tally {
    units: usize,
    clang_cpu: Duration,
    gainsay_cpu: Duration,
    memory_ratios: Vec<f64>,
    failures: Vec<String>,
}

const HEADING: &str =
    "package      units  clang CPU s  gainsay CPU s  CPU ratio  memory mean  memory max  failed";

impl Tally {
    fn count(&mut self, clang: Cost, gainsay: Cost) {
        self.units += 1;
        self.clang_cpu += clang.cpu;
        self.gainsay_cpu += gainsay.cpu;
        self.memory_ratios.push(gainsay.memory_kib as f64 / clang.memory_kib.max(1) as f64);
    }

    fn add(&mut self, other: Tally) {
        self.units += other.units;
        self.clang_cpu += other.clang_cpu;
        self.gainsay_cpu += other.gainsay_cpu;
        self.memory_ratios.extend(other.memory_ratios);
        self.failures.extend(other.failures);
    }

    fn cpu_ratio(&self) -> f64 {
        self.gainsay_cpu.as_secs_f64() / self.clang_cpu.as_secs_f64().max(1e-9)
    }

    fn memory_max(&self) -> f64 {
        self.memory_ratios.iter().copied().fold(0.0, f64::max)
    }

    fn row(&self, name: &str) -> String {
        let mean = self.memory_ratios.iter().sum::<f64>() / self.memory_ratios.len().max(1) as f64;
        format!(
            "{name:<10} {:>7} {:>12.2} {:>14.2} {:>10.2} {mean:>12.2} {:>11.2} {:>7}",
            self.units,
            self.clang_cpu.as_secs_f64(),
            self.gainsay_cpu.as_secs_f64(),
            self.cpu_ratio(),
            self.memory_max(),
            self.failures.len()
        )
    }

    fn verdict(&self) -> Result<(), String> {
        if !self.failures.is_empty() {
            return Err(format!("{} unit(s) could not be measured", self.failures.len()));
        }
        if self.cpu_ratio() > CPU_TARGET || self.memory_max() > MEMORY_TARGET {
            return Err(format!("over target: CPU {:.2}, memory {:.2}", self.cpu_ratio(), self.memory_max()));
        }
        Ok(())
    }
}

fn measure(gainsay: &Path, developer: &Path, dir: &Path, step: usize, runs: u64) -> Result<Tally, String> {
    let text = process::capture(workspace::call(gainsay).arg("print-args").arg("-p").arg(dir))?;
    let mut tally = Tally::default();
    for (unit, line) in units::read(&text)?.iter().zip(text.lines()).step_by(step) {
        let mut clang = Command::new(CLANG);
        clang.arg("-fsyntax-only").args(unit.arguments.iter().skip(1)).current_dir(&unit.directory);
        let mut lower = workspace::call(developer);
        lower.arg("bench-lower").arg(line);
        match best_of(runs, &mut clang, &mut lower) {
            Ok((clang, gainsay)) => tally.count(clang, gainsay),
            Err(error) => tally.failures.push(format!("{}: {error}", unit.file)),
        }
    }
    Ok(tally)
}

/// Runs both alternately; the best run of each counts.
fn best_of(runs: u64, first: &mut Command, second: &mut Command) -> Result<(Cost, Cost), String> {
    let mut best = (cost(first)?, cost(second)?);
    for _ in 1..runs {
        best.0 = best.0.better(cost(first)?);
        best.1 = best.1.better(cost(second)?);
    }
    Ok(best)
}

fn cost(command: &mut Command) -> Result<Cost, String> {
    let end = process::run_measured(command, None)?;
    if end.code == Some(0) {
        return Ok(Cost::of(&end));
    }
    let program = command.get_program().to_string_lossy().into_owned();
    let why = end.stderr.lines().find(|line| line.contains("error")).or(end.stderr.lines().last());
    Err(format!("{program} ended with {:?}: {}", end.code, why.unwrap_or("no message")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost_of(milliseconds: u64, memory_kib: u64) -> Cost {
        Cost { cpu: Duration::from_millis(milliseconds), memory_kib }
    }

    #[test]
    fn the_ratio_is_of_sums_and_memory_of_the_worst_unit() {
        let mut tally = Tally::default();
        tally.count(cost_of(100, 1000), cost_of(100, 1000));
        tally.count(cost_of(300, 1000), cost_of(500, 1900));
        assert!((tally.cpu_ratio() - 1.5).abs() < 1e-9 && (tally.memory_max() - 1.9).abs() < 1e-9);
        assert_eq!(tally.verdict(), Ok(()));
        tally.count(cost_of(100, 1000), cost_of(100, 2100));
        assert!(tally.verdict().unwrap_err().contains("over target"));
    }
}
