//! `gainsay-dev roundtrip`: prints every lowered function, parses the text and compares.

use clap::Args;
use gainsay::args::Input;
use gainsay::console::{FAILURE, fail, say, select, write_out};
use gainsay_driver::select::Unit;
use gainsay_driver::unit::lower;
use gainsay_ir::{equal, gc, parse, print};
use std::process::ExitCode;

#[derive(Args)]
pub(crate) struct RoundtripArgs {
    #[command(flatten)]
    input: Input,
}

/// The outcome of one unit.
struct RoundTripped {
    functions: usize,
    /// Functions that differ after the round trip.
    differences: Vec<String>,
}

pub(crate) fn run(args: &RoundtripArgs) -> ExitCode {
    let selection = match select(&args.input) {
        Ok(selection) => selection,
        Err(problem) => return fail(&problem),
    };
    let (mut functions, mut differences, mut failed) = (0, 0, 0);
    for unit in &selection.units {
        let done = match unit {
            Ok(unit) => roundtrip(unit).map_err(|reason| (&unit.file, reason)),
            Err(unusable) => Err((&unusable.file, unusable.reason.clone())),
        };
        match done {
            Ok(done) => {
                functions += done.functions;
                differences += done.differences.len();
                done.differences.iter().for_each(|difference| say(difference));
            }
            Err((file, reason)) => {
                failed += 1;
                say(&format!("{file}: not analysed: {reason}"));
            }
        }
    }
    let line = format!("{functions} functions, {differences} differences, {failed} units failed\n");
    if let Err(problem) = write_out(line.as_bytes()) {
        return fail(&problem);
    }
    match (differences, failed) {
        (0, 0) => ExitCode::SUCCESS,
        (0, _) => ExitCode::from(FAILURE),
        _ => ExitCode::from(1),
    }
}

fn roundtrip(unit: &Unit) -> Result<RoundTripped, String> {
    let (_, lowered) = lower::lower(unit)?;
    let before = &lowered.unit;
    let mut differences = Vec::new();
    match parse::unit(&print::unit(before)) {
        Err(error) => {
            differences.push(format!("{}: the text form cannot be read back: {error}", unit.file));
            differences.extend(unreadable_functions(unit, before));
        }
        Ok(after) => {
            let (n, m) = (before.functions.len(), after.functions.len());
            if n != m {
                differences.push(format!("{}: {n} functions became {m}", unit.file));
            }
            for (a, b) in before.functions.iter().zip(&after.functions) {
                if !equal::same(before, a, &after, b) {
                    let name = &before.symbols[a.symbol].name;
                    differences.push(format!("{}: function {name} reads back differently", unit.file));
                }
            }
        }
    }
    Ok(RoundTripped { functions: before.functions.len(), differences })
}

/// The functions of a unit that cannot be parsed, each with its reason.
fn unreadable_functions(unit: &Unit, before: &gc::Unit) -> Vec<String> {
    let mut scratch = before.clone();
    let mut problem = |f: &gc::Function| {
        let error = parse::function(&mut scratch, &print::function(before, f)).err()?;
        let name = &before.symbols[f.symbol].name;
        Some(format!("{}: function {name} cannot be read back: {error}", unit.file))
    };
    before.functions.iter().filter_map(&mut problem).collect()
}
