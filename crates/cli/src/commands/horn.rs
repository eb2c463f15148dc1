//! `gainsay horn`: what the Horn clauses of each function with loops say of every edge, for looking at the engine.

use super::{fail, select_one, write_out};
use crate::args::HornArgs;
use crate::work;
use gainsay_analysis::horn::{Answer, Problem, words};
use gainsay_analysis::solver::programs::{FIRST, Places, SECOND};
use gainsay_analysis::solver::{Budget, Options, Session};
use gainsay_ir::gc::{Block, Function, Origin};
use gainsay_ir::passes::prune;
use std::fmt::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

pub(crate) fn run(args: &HornArgs) -> ExitCode {
    match answers(args) {
        Ok(text) => {
            write_out(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(problem) => fail(&problem),
    }
}

/// The edges of the source's branches.
pub(crate) fn edges_of(f: &Function) -> Vec<Block> {
    let is_edge = |&block: &Block| f.blocks[block].branch.is_some_and(|branch| branch.origin != Origin::Model);
    f.blocks.keys().filter(is_edge).collect()
}

fn answers(args: &HornArgs) -> Result<String, String> {
    let unit = select_one(&args.input)?;
    let (ast, lowered) = work::lowered(&unit)?;
    let base = work::base(&unit)?;
    let places = Places::of_this_process();
    let first = places.find(FIRST).map_err(|error| error.to_string())?;
    let spacer = places.find(SECOND).map_err(|error| error.to_string())?;
    let mut session = Session::new(&first, &Options::default());
    let budget = Budget { effort: args.effort, backstop: Duration::from_secs(60) };
    let mut text = String::new();
    for (f, beside) in work::prepared(&lowered)?.iter().zip(&lowered.functions) {
        let f = prune(f.clone());
        let name = &lowered.unit.symbols[f.symbol].name;
        if args.function.as_ref().is_some_and(|wanted| wanted != name) {
            continue;
        }
        let edges = edges_of(&f);
        let mut problem = Problem::new(&lowered.unit, &f, &edges);
        if problem.cuts.is_empty() && !args.all {
            continue;
        }
        let line = |block: Block| {
            let loc = f.blocks[block].cmds.first().map(|cmd| cmd.loc);
            let place = loc.and_then(|loc| base.place(&ast.source_map, beside.spans[loc].at));
            place.map_or_else(|| "?".to_owned(), |(_, line, column)| format!("{line}:{column}"))
        };
        let _ = writeln!(text, "{name}: {} loops, {} edges", problem.cuts.len(), edges.len());
        for (number, &edge) in edges.iter().enumerate() {
            let start = Instant::now();
            let answer = problem.ask(&mut session, &spacer, number, budget);
            let branch = f.blocks[edge].branch.map_or_else(String::new, |branch| {
                format!("{} {} {}", branch.origin.name(), branch.outcome.name(), branch.condition)
            });
            let verdict = match &answer {
                Answer::Impossible(_) => "impossible".to_owned(),
                Answer::Possible => "possible".to_owned(),
                Answer::Unknown(reason) => format!("unknown: {reason}"),
            };
            let time = if args.times { format!(" ({} ms)", start.elapsed().as_millis()) } else { String::new() };
            let _ = writeln!(text, "  {}: {branch}: {verdict}{time}", line(edge));
            if let Answer::Impossible(proof) = &answer {
                for said in words(&problem, proof) {
                    let when = if said.passed { "then" } else { "before" };
                    let _ = writeln!(text, "    {when} at {}: {}", line(said.head), said.holds);
                }
            }
        }
    }
    Ok(text)
}
