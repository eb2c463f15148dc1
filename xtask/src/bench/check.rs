//! `cargo xtask bench check`: measures `gainsay check` on the corpus, compared with compilers and other analysers on the
//! same units in the same run.

use std::fs;
use std::path::Path;

use super::peers::PEERS;
use super::timings::Timings;
use super::{Cost, OnPackages, sample_step};
use crate::json::{self, Value};
use crate::units::{self, Unit};
use crate::{corpus, process, setup, workspace};

/// At most this ratio to the CPU time of `clang -fsyntax-only`.
const CPU_TARGET: f64 = 1.5;
/// `clang --analyze` must cost at least this many times more.
const ANALYZE_TARGET: f64 = 4.0;

pub(super) fn run(options: &OnPackages) -> Result<(), String> {
    let runs = options.runs;
    let packages = corpus::built(&options.packages)?;
    setup::for_peers(&workspace::root())?;
    let gainsay = workspace::build_gainsay()?;
    let scratch = workspace::target_directory()?.join("bench-check");
    fs::create_dir_all(&scratch).map_err(|e| format!("cannot create {}: {e}", scratch.display()))?;
    println!("CPU time as ratio to clang -fsyntax-only; memory in MiB; the best of {runs} run(s)\n");
    let mut total = Measured::default();
    for (package, dir) in packages {
        let step = sample_step(package.name, options.all);
        let measured =
            measure(&gainsay, &dir, step, runs, &scratch).map_err(|e| format!("{}: {e}", package.name))?;
        let sample = if step > 1 { format!(" (every {step}th unit, for all tools)") } else { String::new() };
        measured.print(&format!("{}{sample}", package.name));
        total.add(measured);
    }
    total.print("total");
    total.verdict()
}

/// The cost of the units of a package for all tools.
#[derive(Default)]
struct Measured {
    units: usize,
    /// In the order of [`PEERS`].
    peers: Vec<Cost>,
    gainsay: Cost,
    /// The peak of all processes of a run together: gainsay, its worker and the solver.
    together_kib: u64,
    functions: u64,
    given_up: u64,
    undecided: u64,
    timings: Option<Timings>,
    failures: Vec<String>,
}

impl Measured {
    fn add(&mut self, other: Measured) {
        self.units += other.units;
        self.peers.resize(PEERS.len(), Cost::default());
        for (mine, theirs) in self.peers.iter_mut().zip(&other.peers) {
            *mine = mine.then(*theirs);
        }
        self.gainsay = self.gainsay.then(other.gainsay);
        self.together_kib = self.together_kib.max(other.together_kib);
        self.functions += other.functions;
        self.given_up += other.given_up;
        self.undecided += other.undecided;
        if let Some(timings) = other.timings {
            self.timings.get_or_insert_default().add(timings);
        }
        self.failures.extend(other.failures);
    }

    fn ratio(&self, cost: Cost) -> f64 {
        let base = self.peers.first().map_or(0.0, |base| base.cpu.as_secs_f64());
        cost.cpu.as_secs_f64() / base.max(1e-9)
    }

    fn print(&self, name: &str) {
        println!("{name}: {} units, {} functions", self.units, self.functions);
        println!("  {:<22} {:>9} {:>8} {:>8}", "", "CPU s", "ratio", "memory");
        let names = PEERS.iter().map(|peer| peer.name);
        let rows =
            std::iter::once(("gainsay check -j1", self.gainsay)).chain(names.zip(self.peers.iter().copied()));
        for (tool, cost) in rows {
            let (cpu, memory) = (cost.cpu.as_secs_f64(), cost.memory_kib / 1024);
            println!("  {tool:<22} {cpu:>9.2} {:>8.2} {memory:>8}", self.ratio(cost));
        }
        let seconds = self.gainsay.cpu.as_secs_f64().max(1e-9);
        println!("  gainsay and solver together: {} MiB", self.together_kib / 1024);
        println!(
            "  {:.0} functions per second, {} given up ({:.2} %), {} edges undecided",
            self.functions as f64 / seconds,
            self.given_up,
            100.0 * self.given_up as f64 / self.functions.max(1) as f64,
            self.undecided
        );
        match &self.timings {
            Some(timings) => {
                println!("  stages: {}", timings.stages());
                println!("  slowest functions:");
                timings.slowest().iter().for_each(|line| println!("  {line}"));
            }
            None => println!("  no stages: gainsay wrote no timings"),
        }
        self.failures.iter().for_each(|failure| println!("  not fully measured: {failure}"));
        println!();
    }

    fn verdict(&self) -> Result<(), String> {
        let own = self.ratio(self.gainsay);
        let analyze = self.peers.get(1).map_or(0.0, |peer| self.ratio(*peer)) / own.max(1e-9);
        println!(
            "targets: CPU ratio {own:.2} (<= {CPU_TARGET}), clang --analyze costs {analyze:.1} times more (>= {ANALYZE_TARGET})"
        );
        if own > CPU_TARGET || analyze < ANALYZE_TARGET {
            return Err("over target".into());
        }
        Ok(())
    }
}

fn measure(gainsay: &Path, dir: &Path, step: usize, runs: u64, scratch: &Path) -> Result<Measured, String> {
    let whole = dir.join("compile_commands.json");
    let text = fs::read_to_string(&whole).map_err(|e| format!("cannot read {}: {e}", whole.display()))?;
    let entries: Vec<Value> = json::parse(&text)?;
    let entries: Vec<Value> = entries.into_iter().step_by(step).collect();
    let sample = scratch.join("compile_commands.json");
    fs::write(&sample, Value::from(entries.clone()).to_string())
        .map_err(|e| format!("cannot write {}: {e}", sample.display()))?;
    let listing = process::capture(workspace::call(gainsay).arg("print-args").arg("-p").arg(scratch))?;
    let units = units::read(&listing)?;
    if units.len() != entries.len() {
        return Err(format!("{} entries, but {} units", entries.len(), units.len()));
    }
    let mut best = one_run(gainsay, &units, &entries, scratch)?;
    for _ in 1..runs {
        let again = one_run(gainsay, &units, &entries, scratch)?;
        for (a, b) in best.peers.iter_mut().zip(again.peers) {
            *a = a.better(b);
        }
        if again.gainsay.cpu < best.gainsay.cpu {
            best = Measured { peers: best.peers, failures: best.failures, ..again };
        }
    }
    Ok(best)
}

fn one_run(gainsay: &Path, units: &[Unit], entries: &[Value], scratch: &Path) -> Result<Measured, String> {
    let mut measured = own_run(gainsay, scratch)?;
    measured.units = units.len();
    for peer in PEERS {
        let mut cost = Cost::default();
        for (unit, entry) in units.iter().zip(entries) {
            let called = peer.call(unit, entry)?;
            cost = cost.then(called.cost);
            measured.failures.extend(called.failure);
        }
        measured.peers.push(cost);
    }
    Ok(measured)
}

/// gainsay on all units of the sample.
fn own_run(gainsay: &Path, sample: &Path) -> Result<Measured, String> {
    let timings = sample.join("timings.jsonl");
    if timings.exists() {
        fs::remove_file(&timings).map_err(|e| format!("cannot remove {}: {e}", timings.display()))?;
    }
    let mut command = workspace::call(gainsay);
    command
        .args(["check", "-j1", "--format", "json", "--no-cache"])
        .arg("-p")
        .arg(sample)
        .arg("--timings")
        .arg(&timings);
    let end = process::run_watched(&mut command)?;
    let report: Value = json::parse(&end.stdout).map_err(|e| {
        let message = end.stderr.lines().last().unwrap_or("no message");
        format!("gainsay ended with {:?} and no report ({e}): {message}", end.code)
    })?;
    let number = |name: &str| report["coverage"][name].as_u64().unwrap_or_default();
    let timings = match fs::read_to_string(&timings) {
        Ok(text) => Some(Timings::read(&text)?),
        Err(_) => None,
    };
    Ok(Measured {
        gainsay: Cost::of(&end),
        together_kib: end.peak_together_kib,
        functions: number("functions"),
        given_up: number("given_up"),
        undecided: number("edges_undecided"),
        timings,
        ..Measured::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn costs_of_packages_add_up_and_are_compared_with_the_targets() {
        let package = |own: u64| Measured {
            peers: [100, 700, 100, 100, 100]
                .map(|ms| Cost { cpu: Duration::from_millis(ms), memory_kib: ms })
                .to_vec(),
            gainsay: Cost { cpu: Duration::from_millis(own), memory_kib: own },
            ..Measured::default()
        };
        let mut total = Measured::default();
        total.add(package(100));
        total.add(package(180));
        assert!((total.ratio(total.gainsay) - 1.4).abs() < 1e-9 && total.gainsay.memory_kib == 180);
        assert_eq!(total.verdict(), Ok(()));
        total.add(package(300));
        assert_eq!(total.verdict(), Err("over target".into()));
    }
}
