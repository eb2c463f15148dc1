//! `gainsay run-gc`: executes a lowered program, to compare it with what a compiler makes of it.
//!
//! Exit code: the program's own; 124 out of steps; 125 something the interpreter does not do; 126 lowering
//! is wrong (a check fails or no way leads on in a program that runs well, or malformed commands); 134 abort.

use clap::Args;
use gainsay::args::OneFile;
use gainsay::console::{fail, say, select_one, write_out};
use gainsay_driver::units::Unit;
use gainsay_driver::work;
use gainsay_frontend::clang::ast;
use gainsay_frontend::lower::Lowered;
use gainsay_interp::{Interp, InterpOptions, Outcome};
use gainsay_ir::gc::{Block, Symbol};
use gainsay_ir::{print, verify};
use std::process::ExitCode;

const OUT_OF_STEPS: u8 = 124;
const UNSUPPORTED: u8 = 125;
const WRONG: u8 = 126;
const ABORTED: u8 = 134;

#[derive(Args)]
pub(crate) struct RunGcArgs {
    #[command(flatten)]
    input: OneFile,
    /// Commands to execute before giving up
    #[arg(long, default_value_t = 100_000_000)]
    steps: u64,
    /// Ask of every branch edge that the run took whether reach calls it impossible, which would be wrong
    #[arg(long)]
    edges: bool,
    /// Likewise whether Horn clauses call it impossible
    #[arg(long)]
    loops: bool,
}

pub(crate) fn run(args: &RunGcArgs) -> ExitCode {
    let unit = match select_one(&args.input) {
        Ok(unit) => unit,
        Err(problem) => return fail(&problem),
    };
    let (ast, lowered) = match work::lowered(&unit) {
        Ok(both) => both,
        Err(problem) => return fail(&format!("{}: {problem}", unit.file)),
    };
    for gone in &lowered.gave_up {
        say(&format!("function {} given up: {}", gone.name, gone.reason));
    }
    for f in &lowered.unit.functions {
        if let Err(errors) = verify::verify(&lowered.unit, f) {
            let name = &lowered.unit.symbols[f.symbol].name;
            errors.iter().for_each(|error| say(&format!("malformed: {name}: {error}")));
            return ExitCode::from(WRONG);
        }
    }
    let options = InterpOptions { steps: args.steps, ..InterpOptions::default() };
    let run = Interp::new(&lowered.unit, options).run("main", &[]);
    if let Err(problem) = write_out(&run.stdout) {
        return fail(&problem);
    }
    let at = |function: &str, block, index| place(&unit, &ast, &lowered, function, block, index);
    ExitCode::from(match run.outcome {
        // After `exit` the functions below have not ended: what they would have done is not known.
        Outcome::Returned(code) if args.edges || args.loops => match contradicted(args, &lowered, &run.taken)
        {
            Ok(wrong) if wrong.is_empty() => code as u8,
            Ok(wrong) => {
                wrong.iter().for_each(|edge| say(&format!("called impossible: {edge}")));
                WRONG
            }
            Err(problem) => return fail(&problem),
        },
        Outcome::Returned(code) | Outcome::Exited(code) => code as u8,
        Outcome::Raised => {
            say("ended by something like longjmp");
            UNSUPPORTED
        }
        Outcome::Aborted(why) => {
            say(&format!("aborted: {why}"));
            ABORTED
        }
        Outcome::Failed { check, function, block, index } => {
            say(&format!("failed: {}: {}", check.fails(), at(&function, block, index)));
            WRONG
        }
        Outcome::Stuck { function, block, index } => {
            say(&format!("stuck: no way leads on: {}", at(&function, block, index)));
            WRONG
        }
        Outcome::Unsupported(why) => {
            say(&format!("unsupported: {why}"));
            UNSUPPORTED
        }
        Outcome::OutOfSteps => OUT_OF_STEPS,
    })
}

/// The edges that the run took and that somebody calls impossible.
fn contradicted(
    args: &RunGcArgs,
    lowered: &Lowered,
    taken: &[(Symbol, Block)],
) -> Result<Vec<String>, String> {
    let mut wrong = Vec::new();
    // What is known of callees changes the unit.
    let mut lowered = lowered.clone();
    if args.edges {
        wrong.extend(crate::edges::contradicted(&mut lowered, taken)?);
    }
    if args.loops {
        wrong.extend(crate::horn::contradicted(&mut lowered, taken)?);
    }
    Ok(wrong)
}

/// Function, block, the command's text and where it comes from.
fn place(
    unit: &Unit,
    ast: &ast::Unit,
    lowered: &Lowered,
    function: &str,
    block: Block,
    index: usize,
) -> String {
    let found = lowered.unit.functions.iter().zip(&lowered.functions);
    let mut found = found.filter(|(f, _)| lowered.unit.symbols[f.symbol].name == function);
    let Some((f, beside)) = found.next() else { return function.to_owned() };
    let text = print::function(&lowered.unit, f);
    let heading = format!("{block}:");
    let mut lines = text.lines().skip_while(|line| line.split(' ').next() != Some(&heading)).skip(1);
    let command = lines.nth(index).unwrap_or_default().trim();
    let cmds = &f.blocks[block].cmds;
    let span = cmds.get(index).or(cmds.last()).and_then(|cmd| beside.spans.get(cmd.loc));
    let source = span.and_then(|span| work::base(unit).ok()?.place(&ast.source_map, span.at));
    let source = source.map(|(file, line, column)| format!(" ({file}:{line}:{column})")).unwrap_or_default();
    format!("{function} {block} command {index}: {command}{source}")
}
