//! `gainsay-dev horn`: the verdict of Horn clauses on every edge of functions with loops.

use crate::limits::{CHECKED_EDGES, HORN_BACKSTOP, HORN_EFFORT, ORACLE_HORN_EFFORT};
use clap::Args;
use gainsay::args::OneFile;
use gainsay::console::{fail, select_one, show};
use gainsay_analysis::horn::{
    EdgeAnswer, HornProblem, Role, decide, invariants_in_c, is_too_large, source_edges, with_checks,
};
use gainsay_driver::unit::lower;
use gainsay_frontend::lower::Lowered;
use gainsay_ir::gc::{Block, BlockData, Loc, Symbol};
use gainsay_ir::passes::prune;
use gainsay_ir::passes::segments::heads;
use gainsay_solver::programs::{FIRST, SECOND, SolverDirectories};
use gainsay_solver::{Budget, Options, Program, Session};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::process::ExitCode;
use std::time::Instant;

#[derive(Args)]
pub(crate) struct HornArgs {
    #[command(flatten)]
    input: OneFile,
    /// Print only this function
    #[arg(long, value_name = "NAME")]
    function: Option<String>,
    /// Also decide edges that are possible with a few iterations
    #[arg(long)]
    all: bool,
    /// Print how long each answer took
    #[arg(long)]
    times: bool,
    /// Solver effort per edge
    #[arg(long, default_value_t = HORN_EFFORT)]
    effort: u64,
}

pub(crate) fn run(args: &HornArgs) -> ExitCode {
    match answers(args) {
        Ok(text) => show(&text),
        Err(problem) => fail(&problem),
    }
}

/// The edges that an error-free run took and that Horn clauses call impossible: each one is a bug of gainsay.
pub(crate) fn contradicted(lowered: &mut Lowered, taken: &[(Symbol, Block)]) -> Result<Vec<String>, String> {
    let (mut session, spacer) = solvers()?;
    let budget = Budget { effort: ORACLE_HORN_EFFORT, backstop: HORN_BACKSTOP };
    let mut wrong = Vec::new();
    let prepared = lower::prepare(lowered)?;
    for (f, prepared) in lowered.unit.functions.iter().zip(&prepared) {
        // Passes renumber blocks; condition, outcome and location stay.
        let key = |data: &BlockData| {
            data.branch.map(|b| (b.condition, b.outcome, data.cmds.first().map(|cmd| cmd.loc)))
        };
        let taken: Vec<_> =
            taken.iter().filter(|(s, _)| *s == f.symbol).map(|&(_, b)| key(&f.blocks[b])).collect();
        let prepared = prune(prepared.clone());
        let edges: Vec<Block> = source_edges(&prepared)
            .into_iter()
            .filter(|&b| taken.contains(&key(&prepared.blocks[b])))
            .collect();
        // Spread over the function: all of them would take too long.
        let apart = edges.len().div_ceil(CHECKED_EDGES).max(1);
        let edges: Vec<Block> = edges.into_iter().step_by(apart).collect();
        if edges.is_empty() || heads(&prepared).is_empty() {
            continue;
        }
        let answers = decide(&mut session, &spacer, &lowered.unit, &prepared, &edges, budget);
        for (edge, answer) in edges.iter().zip(answers) {
            if matches!(answer, EdgeAnswer::Impossible(_)) {
                wrong.push(format!("{}: {edge} was taken", lowered.unit.symbols[f.symbol].name));
            }
        }
    }
    Ok(wrong)
}

/// The solver that checks invariants, and the one that finds them.
fn solvers() -> Result<(Session, Program), String> {
    let places = SolverDirectories::of_this_process().map_err(|error| error.to_string())?;
    let first = places.find(FIRST).map_err(|error| error.to_string())?;
    let spacer = places.find(SECOND).map_err(|error| error.to_string())?;
    Ok((Session::new(&first, &Options::default()), spacer))
}

fn answers(args: &HornArgs) -> Result<String, String> {
    let unit = select_one(&args.input)?;
    let (ast, mut lowered) = lower::lower(&unit)?;
    let prepared = lower::prepare(&mut lowered)?;
    let base = lower::display_paths(&unit)?;
    let (mut session, spacer) = solvers()?;
    let budget = Budget { effort: args.effort, backstop: HORN_BACKSTOP };
    let mut text = String::new();
    for (f, metadata) in prepared.iter().zip(&lowered.functions) {
        let f = prune(f.clone());
        let name = &lowered.unit.symbols[f.symbol].name;
        if args.function.as_ref().is_some_and(|wanted| wanted != name) {
            continue;
        }
        if is_too_large(&f) {
            let _ = writeln!(text, "{name}: too large");
            continue;
        }
        let f = with_checks(&lowered.unit, &f).unwrap_or(f);
        let edges = source_edges(&f);
        let mut problem = HornProblem::new(&lowered.unit, &f, &edges);
        if problem.cuts.is_empty() {
            continue;
        }
        let line = |loc: Option<Loc>| {
            let place = loc.and_then(|loc| base.place(&ast.source_map, metadata.spans[loc].at));
            place.map_or_else(|| "?".to_owned(), |(_, line, column)| format!("{line}:{column}"))
        };
        let _ = writeln!(text, "{name}: {} loops, {} edges", problem.cuts.len(), edges.len());
        let start = Instant::now();
        let covered =
            if args.all { BTreeSet::new() } else { problem.covered(&mut session, &lowered.unit, budget) };
        if args.times {
            let _ =
                writeln!(text, "  {} edges by unrolling ({} ms)", covered.len(), start.elapsed().as_millis());
        }
        for (number, &edge) in edges.iter().enumerate() {
            if covered.contains(&edge) {
                continue;
            }
            let start = Instant::now();
            let answer = problem.ask(&mut session, &spacer, number, budget);
            let branch = f.blocks[edge].branch.map_or_else(String::new, |branch| {
                format!("{} {} {}", branch.origin.name(), branch.outcome.name(), branch.condition)
            });
            let verdict = match &answer {
                EdgeAnswer::Impossible(_) => "impossible".to_owned(),
                EdgeAnswer::Possible => "possible".to_owned(),
                EdgeAnswer::Unknown(reason) => format!("unknown: {reason}"),
            };
            let time =
                if args.times { format!(" ({} ms)", start.elapsed().as_millis()) } else { String::new() };
            let _ = writeln!(
                text,
                "  {}: {branch}: {verdict}{time}",
                line(f.blocks[edge].cmds.first().map(|cmd| cmd.loc))
            );
            if let EdgeAnswer::Impossible(proof) = &answer {
                let needed = problem.reasons(&mut session, &lowered.unit, number, proof, budget);
                for one in needed.into_iter().flatten() {
                    let when = if one.after { "then" } else { "before" };
                    let what = match one.role {
                        Role::Condition => "a condition".to_owned(),
                        Role::Check(check) => check.fails().to_owned(),
                        Role::Error => "an end in error".to_owned(),
                    };
                    let _ = writeln!(text, "    rests on {}, {when}: {what}", line(Some(one.loc)));
                }
                for invariant in invariants_in_c(&problem, proof) {
                    let when = if invariant.passed { "then" } else { "before" };
                    let _ =
                        writeln!(text, "    {when} at {}: {}", line(invariant.loc), invariant.conjunction());
                }
            }
        }
    }
    Ok(text)
}
