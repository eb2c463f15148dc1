//! `gainsay-dev bench-lower`: exports and lowers one unit, to be timed from outside.

use clap::Args;
use gainsay::console::{fail, show};
use gainsay_driver::select::Unit;
use gainsay_driver::unit::lower;
use std::process::ExitCode;

#[derive(Args)]
pub(crate) struct BenchLowerArgs {
    /// A line of `gainsay print-args`
    unit: String,
}

pub(crate) fn run(args: &BenchLowerArgs) -> ExitCode {
    let unit: Unit = match serde_json::from_str(&args.unit) {
        Ok(unit) => unit,
        Err(error) => return fail(&format!("not a line of print-args: {error}")),
    };
    match lower::lower(&unit) {
        Err(problem) => fail(&format!("{}: {problem}", unit.file)),
        Ok((_, lowered)) => {
            let functions = lowered.functions.len() + lowered.gave_up.len();
            let gaps: usize = lowered.functions.iter().map(|metadata| metadata.gaps.len()).sum();
            let given_up = lowered.gave_up.len();
            let line = format!("{}: {functions} functions, {given_up} given up, {gaps} gaps\n", unit.file);
            show(&line)
        }
    }
}
