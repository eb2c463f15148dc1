//! `gainsay-dev edges`: the raw result of `reach` (universal reachability, section 3), for oracles and for a look at real
//! code: every branch edge that no error-free terminating run takes, without noise classes and explanations.

mod coverage;

use self::coverage::{Conditions, Region, Regions};
use crate::limits::EDGE_BUDGET;
use clap::Args;
use gainsay::args::{LoopsArg, OneFile};
use gainsay::console::{fail, say, select_one, show};
use gainsay_analysis::{loops, pipeline, reach};
use gainsay_driver::unit::{imports_file, lower};
use gainsay_frontend::compile_db::clean;
use gainsay_frontend::lower::Lowered;
use gainsay_ir::gc::{Block, Branch, Loc, Outcome, Symbol};
use gainsay_ir::passive::Function;
use gainsay_solver::programs::{FIRST, SECOND, SolverDirectories};
use gainsay_solver::{Options, Session};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const IMPOSSIBLE: &str = "impossible";
const UNDECIDED: &str = "undecided";
const POSSIBLE: &str = "possible";

#[derive(Args)]
pub(crate) struct EdgesArgs {
    #[command(flatten)]
    input: OneFile,
    /// Also print edges that are impossible because of loops
    #[arg(long, value_enum, default_value_t = LoopsArg::Off, value_name = "HOW")]
    loops: LoopsArg,
    /// Print every edge with its verdict and its region in clang's coverage mapping, one JSON object per line
    #[arg(long)]
    json: bool,
    /// Directory that `gainsay-dev imports` wrote: the unit is judged as part of its program
    #[arg(long, value_name = "DIR")]
    imports: Option<PathBuf>,
}

pub(crate) fn run(args: &EdgesArgs) -> ExitCode {
    match edges(args) {
        Ok(text) => show(&text),
        Err(problem) => fail(&problem),
    }
}

/// A session with the first solver.
fn session() -> Result<Session, String> {
    let program = SolverDirectories::of_this_process()
        .and_then(|places| places.find(FIRST))
        .map_err(|error| error.to_string())?;
    Ok(Session::new(&program, &Options::default()))
}

/// The edges that an error-free run took and that `reach` calls impossible: each one is a bug of gainsay.
pub(crate) fn contradicted(lowered: &mut Lowered, taken: &[(Symbol, Block)]) -> Result<Vec<String>, String> {
    let mut session = session()?;
    let mut wrong = Vec::new();
    let prepared = lower::prepare(lowered)?;
    for (f, prepared) in lowered.unit.functions.iter().zip(&prepared) {
        // Passes renumber and copy blocks; condition, outcome and location stay.
        let key = |branch: Option<Branch>, loc: Option<Loc>| branch.map(|b| (b.condition, b.outcome, loc));
        let of_block = |block: Block| {
            let data = &f.blocks[block];
            key(data.branch, data.cmds.first().map(|cmd| cmd.loc))
        };
        let taken: Vec<_> = taken.iter().filter(|(s, _)| *s == f.symbol).map(|&(_, b)| of_block(b)).collect();
        if taken.is_empty() {
            continue;
        }
        let passive = pipeline::passive_form(&lowered.unit, prepared)?;
        for block in reach::decide(&mut session, &lowered.unit, &passive, EDGE_BUDGET).impossible {
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
    let (ast, mut lowered) = lower::lower(&unit)?;
    let base = lower::display_paths(&unit)?;
    let mut session = session()?;
    let spacer = SolverDirectories::of_this_process()
        .and_then(|places| places.find(SECOND))
        .map_err(|error| error.to_string())?;
    let mut text = String::new();
    let conditions = args.json.then(|| Conditions::of(&ast));
    let mut regions = Regions::new(&ast.source_map, &unit.directory);
    let prepared = match &args.imports {
        Some(directory) => imports_file::prepare(directory, &unit, &mut lowered)?,
        None => lower::prepare(&mut lowered)?,
    };
    for (f, metadata) in prepared.iter().zip(&lowered.functions) {
        let name = &lowered.unit.symbols[f.symbol].name;
        let passive = match pipeline::passive_form(&lowered.unit, f) {
            Ok(passive) => passive,
            Err(reason) => {
                say(&format!("{name}: given up: {reason}"));
                continue;
            }
        };
        let mut decided = reach::decide(&mut session, &lowered.unit, &passive, EDGE_BUDGET);
        let solvers = (&mut session, &spacer);
        loops::add_impossible(args.loops.into(), solvers, &lowered.unit, f, &passive, &mut decided);
        if let Some(conditions) = &conditions {
            let Some(place) = ast.source_map.expansion_place(metadata.span.at) else { continue };
            let file = clean(&unit.directory.join(place.text.file));
            for (branch, loc, verdict) in verdicts(&passive, &decided) {
                let span = metadata.spans[loc];
                let (line, column) =
                    base.place(&ast.source_map, span.at).map_or((0, 0), |(_, line, column)| (line, column));
                let counted = conditions.at(span);
                let region = match branch.outcome {
                    Outcome::Case | Outcome::Default => regions.of_label(span, metadata.span.at),
                    _ => regions.of_condition(counted.span, metadata.span.at),
                };
                let edge = Edge {
                    function: name,
                    file: &file,
                    line,
                    column,
                    origin: branch.origin.name(),
                    outcome: branch.outcome.name(),
                    verdict,
                    negated: counted.negated,
                    region,
                };
                text.push_str(&serde_json::to_string(&edge).map_err(|error| error.to_string())?);
                text.push('\n');
            }
            continue;
        }
        for &block in &decided.impossible {
            let data = &passive.blocks[block];
            let (Some(branch), Some(cmd)) = (data.branch, data.cmds.first()) else { continue };
            let Some((file, line, column)) = base.place(&ast.source_map, metadata.spans[cmd.loc].at) else {
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

/// One line of `--json`.
#[derive(Serialize)]
struct Edge<'a> {
    function: &'a str,
    /// The file of the function's definition.
    file: &'a Path,
    line: u32,
    column: u32,
    origin: &'static str,
    outcome: &'static str,
    verdict: &'static str,
    /// clang counts the opposite outcome.
    negated: bool,
    region: Option<Region>,
}

/// The verdict of every edge of the source. Passes may copy blocks; an edge is impossible if all its copies are.
fn verdicts(function: &Function, decided: &reach::Edges) -> Vec<(Branch, Loc, &'static str)> {
    let mut edges: Vec<(Branch, Loc, &'static str)> = Vec::new();
    for block in gainsay_analysis::edges::branch_edges(function) {
        let data = &function.blocks[block];
        let (Some(branch), Some(cmd)) = (data.branch, data.cmds.first()) else { continue };
        let verdict = match block {
            _ if decided.impossible.contains(&block) => IMPOSSIBLE,
            _ if decided.undecided.contains(&block) => UNDECIDED,
            _ => POSSIBLE,
        };
        let known = edges.iter_mut().find(|(other, loc, _)| {
            (other.condition, other.outcome, *loc) == (branch.condition, branch.outcome, cmd.loc)
        });
        match known {
            Some((_, _, known)) if *known != verdict => {
                *known = if [*known, verdict].contains(&POSSIBLE) { POSSIBLE } else { UNDECIDED };
            }
            Some(_) => {}
            None => edges.push((branch, cmd.loc, verdict)),
        }
    }
    edges
}
