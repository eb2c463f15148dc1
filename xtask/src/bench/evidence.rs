//! `cargo xtask bench evidence`: Table 1 of the paper on evidence-based analysis (section 6) for the corpus: the number
//! of errors that each setting reports, and the cost of the default compared with `reach` alone.

use std::path::Path;

use super::Cost;
use crate::json::{self, Value};
use crate::{corpus, process, setup, workspace};

const COLUMNS: [&str; 12] =
    ["ev-0", "ev-1", "ev-2", "ev-3", "ev-4", "ev-5", "ev-6", "ev-7", "ev-8", "ev-9", "ev-all", "default"];
const PACKAGES: [&str; 7] = ["ncompress", "gzip", "bc", "zlib", "jansson", "tar", "tiff"];
/// At most this ratio to the cost of `reach` alone.
const COST_TARGET: f64 = 1.5;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Number of runs for the cost; 0 prints only the number of errors
    #[arg(long, value_name = "N", default_value_t = 0)]
    runs: u64,
    /// Packages [default: seven small ones]
    #[arg(value_name = "PACKAGE")]
    packages: Vec<String>,
}

pub(super) fn run(options: &Options) -> Result<(), String> {
    let runs = options.runs;
    let mut names = options.packages.clone();
    if names.is_empty() {
        names = PACKAGES.map(str::to_owned).to_vec();
    }
    let packages = corpus::built(&names)?;
    setup::for_analyses(&workspace::root())?;
    let gainsay = workspace::build_gainsay()?;
    println!("| package | {} |", COLUMNS.join(" | "));
    println!("|---|{}", "--:|".repeat(COLUMNS.len()));
    for (package, dir) in &packages {
        let mut row = Vec::new();
        for column in COLUMNS {
            let (report, _) =
                check(&gainsay, dir, Some(column)).map_err(|e| format!("{}: {e}", package.name))?;
            row.push(errors(&report)?.to_string());
        }
        println!("| {} | {} |", package.name, row.join(" | "));
    }
    let mut expensive = Vec::new();
    for (package, dir) in packages.iter().filter(|_| runs > 0) {
        let (mut off, mut on): (Option<Cost>, Option<Cost>) = (None, None);
        for _ in 0..runs {
            for (best, column) in [(&mut off, None), (&mut on, Some("default"))] {
                let (_, cost) = check(&gainsay, dir, column).map_err(|e| format!("{}: {e}", package.name))?;
                *best = Some(best.map_or(cost, |best| best.better(cost)));
            }
        }
        let seconds = |cost: Option<Cost>| cost.map_or(0.0, |cost| cost.cpu.as_secs_f64());
        let ratio = seconds(on) / seconds(off).max(1e-9);
        println!(
            "{}: {:.2} s without, {:.2} s with evidence: {ratio:.2}",
            package.name,
            seconds(off),
            seconds(on)
        );
        expensive.extend((ratio > COST_TARGET).then_some(package.name));
    }
    match expensive.as_slice() {
        [] => Ok(()),
        names => Err(format!("ratio over {COST_TARGET}: {}", names.join(", "))),
    }
}

fn check(gainsay: &Path, dir: &Path, column: Option<&str>) -> Result<(Value, Cost), String> {
    let mut command = workspace::call(gainsay);
    command
        .args(["check", "-p", ".", "--format", "json", "-q", "--no-cache", "--loops=off"])
        .current_dir(dir);
    command.args(column.map(|column| format!("--evidence={column}")));
    let end = process::run_measured(&mut command, None)?;
    if !matches!(end.code, Some(0 | 1)) {
        let message = end.stderr.lines().last().unwrap_or("no message");
        return Err(format!("gainsay ended with {:?}: {message}", end.code));
    }
    Ok((json::parse(&end.stdout)?, Cost::of(&end)))
}

/// The number of visible findings of which `evidence` is one of the analyses.
fn errors(report: &Value) -> Result<usize, String> {
    let findings = report["findings"].as_array().ok_or("the report has no findings")?;
    let is_by_evidence =
        |finding: &&Value| json::items(&finding["analyses"]).iter().any(|name| name == "evidence");
    Ok(findings.iter().filter(is_by_evidence).count())
}
