//! `cargo xtask bench evidence`: the paper's Table 1 for the corpus (papers/evidence-based-analysis, section 6): how many
//! errors each setting reports, and what the default costs on top of `reach`.

use std::path::Path;

use super::Cost;
use crate::json::{self, Json};
use crate::options::Options;
use crate::{corpus, process, setup, workspace};

const COLUMNS: [&str; 12] =
    ["ev-0", "ev-1", "ev-2", "ev-3", "ev-4", "ev-5", "ev-6", "ev-7", "ev-8", "ev-9", "ev-all", "default"];
const PACKAGES: [&str; 7] = ["ncompress", "gzip", "bc", "zlib", "jansson", "tar", "tiff"];
/// On top of `reach`.
const COST_TARGET: f64 = 1.5;

/// The command line: `[--runs N] [PACKAGE...]`. Without runs only the table.
pub(super) fn run(mut options: Options) -> Result<(), String> {
    let runs = options.number("--runs", 0)?;
    let mut names = options.words()?;
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
    let mut dear = Vec::new();
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
        dear.extend((ratio > COST_TARGET).then_some(package.name));
    }
    if dear.is_empty() { Ok(()) } else { Err(format!("more than {COST_TARGET} times: {}", dear.join(", "))) }
}

fn check(gainsay: &Path, dir: &Path, column: Option<&str>) -> Result<(Json, Cost), String> {
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

/// Visible findings that evidence has a part in.
fn errors(report: &Json) -> Result<usize, String> {
    let findings = report.get("findings").and_then(Json::as_array).ok_or("the report has no findings")?;
    let is_by_evidence = |finding: &&Json| {
        finding.get("analyses").is_some_and(|names| names.strings().iter().any(|name| name == "evidence"))
    };
    Ok(findings.iter().filter(is_by_evidence).count())
}
