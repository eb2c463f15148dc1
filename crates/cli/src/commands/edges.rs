//! `gainsay edges`: the raw answer of universal reachability, for oracles and for looking at real code: every branch
//! edge that no run which ends well can take. No noise is filtered, nothing is explained; that is `check`'s business.

use super::{fail, say, select_one, write_out};
use crate::args::EdgesArgs;
use crate::work;
use gainsay_analysis::solver::programs::{FIRST, Places};
use gainsay_analysis::solver::{Budget, Options, Session};
use gainsay_analysis::{pipeline, reach};
use gainsay_frontend::lower::Lowered;
use gainsay_ir::gc::{Block, Branch, Loc, Symbol};
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

/// A session with the first solver.
fn session() -> Result<Session, String> {
    let program = Places::of_this_process().find(FIRST).map_err(|error| error.to_string())?;
    Ok(Session::new(&program, &Options::default()))
}

/// The edges among those taken by a run that ended well which reach calls impossible: each one is an error of ours.
pub(crate) fn contradicted(lowered: &Lowered, taken: &[(Symbol, Block)]) -> Result<Vec<String>, String> {
    let mut session = session()?;
    let mut wrong = Vec::new();
    for f in &lowered.unit.functions {
        // Passes renumber blocks and may copy them; condition, outcome and place stay.
        let key = |branch: Option<Branch>, loc: Option<Loc>| branch.map(|b| (b.condition, b.outcome, loc));
        let of_block = |block: Block| {
            let data = &f.blocks[block];
            key(data.branch, data.cmds.first().map(|cmd| cmd.loc))
        };
        let taken: Vec<_> = taken.iter().filter(|(s, _)| *s == f.symbol).map(|&(_, b)| of_block(b)).collect();
        if taken.is_empty() {
            continue;
        }
        let passive = pipeline::passive_form(&lowered.unit, f)?;
        for block in reach::decide(&mut session, &lowered.unit, &passive, BUDGET).impossible {
            let data = &passive.blocks[block];
            if taken.contains(&key(data.branch, data.cmds.first().map(|cmd| cmd.loc))) {
                wrong.push(format!("{}: {block} was taken", lowered.unit.symbols[f.symbol].name));
            }
        }
    }
    Ok(wrong)
}

fn edges(args: &EdgesArgs) -> Result<String, String> {
    let unit = select_one(&args.input)?;
    let (ast, lowered) = work::lowered(&unit)?;
    let base = work::base(&unit)?;
    let mut session = session()?;
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
