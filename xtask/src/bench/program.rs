//! `cargo xtask bench program`: measures all packages of the corpus as one program: the cost with one and with two
//! workers, its growth with the size, the effect of the cache, and the cost after one edit.
//!
//! Every run of the same program must print the same bytes. Packages define functions of the same name, including
//! several `main`, which is part of the test.

mod edit;
mod growth;
mod measure;
mod merge;

use std::fs;
use std::path::{Path, PathBuf};

use crate::{corpus, setup, workspace};
use edit::Edit;
use measure::{Cache, Measured, check};

type Package = (&'static str, PathBuf);

/// Settings of all measurements.
struct Bench {
    gainsay: PathBuf,
    /// Directory of the merged database and of the cache.
    scratch: PathBuf,
    runs: u64,
    packages: Vec<Package>,
}

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Number of runs; the best one counts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// Packages [default: all that are built]
    #[arg(value_name = "PACKAGE")]
    packages: Vec<String>,
}

pub(super) fn run(options: &Options) -> Result<(), String> {
    let runs = options.runs;
    let built = corpus::built(&options.packages)?;
    setup::for_analyses(&workspace::root())?;
    let scratch = workspace::target_directory()?.join("bench-program");
    fs::create_dir_all(&scratch).map_err(|e| format!("cannot create {}: {e}", scratch.display()))?;
    edit::restore_interrupted(&scratch)?;
    let packages = built.into_iter().map(|(package, dir)| (package.name, dir)).collect();
    let bench = Bench { gainsay: workspace::build_gainsay()?, scratch, runs, packages };
    println!("wall and CPU seconds, the best of {runs} run(s); memory of all processes together\n");
    let two = measure_growth(&bench)?;
    measure_workers(&bench, &two)?;
    let cold = measure_cache(&bench, &two)?;
    measure_edits(&bench, &cold)
}

/// Measures growing sets of packages with two workers and no cache. Returns the result for all packages and leaves their
/// merged database in place.
fn measure_growth(bench: &Bench) -> Result<Measured, String> {
    println!("{}", growth::HEAD);
    let mut last = None;
    for packages in growth::sets(&bench.packages) {
        let units = merge::write(&packages, &bench.scratch)?;
        let measured = best(bench, 2, Cache::None)?;
        println!("{}", growth::row(&packages, units, &measured));
        last = Some(measured);
    }
    last.ok_or_else(|| "no package to measure".into())
}

/// Compares one worker with two.
fn measure_workers(bench: &Bench, two: &Measured) -> Result<(), String> {
    let one = best(bench, 1, Cache::None)?;
    println!("\n-j1 {}\n-j2 {}", one.costs(), two.costs());
    println!("two workers are {:.2} times as fast", one.seconds() / two.seconds());
    one.must_print_the_same(two, "-j1 and -j2")
}

/// Compares the first run with a cache with the second one.
fn measure_cache(bench: &Bench, without: &Measured) -> Result<Measured, String> {
    let cache = bench.scratch.join("cache");
    if cache.exists() {
        fs::remove_dir_all(&cache).map_err(|e| format!("cannot remove {}: {e}", cache.display()))?;
    }
    let cold = check(&bench.gainsay, &bench.scratch, 2, Cache::In(&cache))?;
    let warm = best(bench, 2, Cache::In(&cache))?;
    println!("\ncold -j2 {}\nwarm -j2 {}", cold.costs(), warm.costs());
    let share = 100.0 * warm.cpu.as_secs_f64() / cold.cpu.as_secs_f64().max(1e-9);
    println!("warm takes {share:.1} % of the CPU time of cold; the cache has {} MiB", size(&cache)? >> 20);
    cold.must_print_the_same(without, "with and without a cache")?;
    warm.must_print_the_same(&cold, "warm and cold")?;
    Ok(cold)
}

/// Changes one function of each package and measures the next run with the cache.
fn measure_edits(bench: &Bench, cold: &Measured) -> Result<(), String> {
    println!("\nafter adding one line to one function:");
    let cache = bench.scratch.join("cache");
    let run = || check(&bench.gainsay, &bench.scratch, 2, Cache::In(&cache));
    for (name, dir) in &bench.packages {
        let Some(edit) = Edit::begin(dir, &bench.scratch)? else {
            println!("  {name}: no function that the edit recognises");
            continue;
        };
        let measured = run();
        let file = edit.file().display().to_string();
        edit.end()?;
        let measured = measured?;
        if measured.ledger() != cold.ledger() {
            return Err(format!("{file}: the edit changes the number of units or functions"));
        }
        println!("  {file}: {} functions analysed, {}", measured.analysed_of_all(), measured.costs());
    }
    run()?.must_print_the_same(cold, "after all edits are undone and before")
}

/// The best of several runs, which must print the same.
fn best(bench: &Bench, workers: usize, cache: Cache) -> Result<Measured, String> {
    let mut best = check(&bench.gainsay, &bench.scratch, workers, cache)?;
    for _ in 1..bench.runs {
        let again = check(&bench.gainsay, &bench.scratch, workers, cache)?;
        again.must_print_the_same(&best, "two runs of the same")?;
        best = best.least(again);
    }
    Ok(best)
}

/// Bytes of all files in a folder.
fn size(folder: &Path) -> Result<u64, String> {
    let cannot = |e| format!("cannot read {}: {e}", folder.display());
    let mut sum = 0;
    for entry in fs::read_dir(folder).map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        let about = entry.metadata().map_err(cannot)?;
        sum += if about.is_dir() { size(&entry.path())? } else { about.len() };
    }
    Ok(sum)
}
