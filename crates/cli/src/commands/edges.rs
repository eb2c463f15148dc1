//! `gainsay edges`: the raw answer of universal reachability, for oracles and for looking at real code: every branch
//! edge that no run which ends well can take. No noise is filtered, nothing is explained; that is `check`'s business.

use super::{fail, say, select_one, write_out};
use crate::args::EdgesArgs;
use crate::work;
use gainsay_analysis::solver::programs::{FIRST, Places};
use gainsay_analysis::solver::{Budget, Options, Session};
use gainsay_analysis::{pipeline, reach};
use std::process::ExitCode;
use std::time::Duration;

const BUDGET: Budget = Budget { effort: 2_000_000, backstop: Duration::from_secs(60) };

pub(crate) fn run(args: &EdgesArgs) -> ExitCode {
    match edges(args) {
        Ok(text) => {
            write_out(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(problem) => fail(&problem),
    }
}

fn edges(args: &EdgesArgs) -> Result<String, String> {
    let unit = select_one(&args.input)?;
    let (ast, lowered) = work::lowered(&unit)?;
    let base = work::base(&unit)?;
    let program = Places::of_this_process().find(FIRST).map_err(|error| error.to_string())?;
    let mut session = Session::new(&program, &Options::default());
    let mut text = String::new();
    for (f, beside) in lowered.unit.functions.iter().zip(&lowered.functions) {
        let name = &lowered.unit.symbols[f.symbol].name;
        let passive = match pipeline::passive_form(&lowered.unit, f) {
            Ok(passive) => passive,
            Err(reason) => {
                say(&format!("{name}: given up: {reason}"));
                continue;
            }
        };
        let decided = reach::decide(&mut session, &lowered.unit, &passive, BUDGET);
        for block in decided.impossible {
            let data = &passive.blocks[block];
            let (Some(branch), Some(cmd)) = (data.branch, data.cmds.first()) else { continue };
            let Some((file, line, column)) = base.place(&ast.source_map, beside.spans[cmd.loc].at) else {
                continue;
            };
            let (origin, outcome) = (branch.origin.name(), branch.outcome.name());
            text.push_str(&format!("{file}:{line}:{column}: {name}: {origin} {outcome} is impossible\n"));
        }
        if !decided.undecided.is_empty() {
            say(&format!("{name}: {} edges undecided", decided.undecided.len()));
        }
    }
    Ok(text)
}
