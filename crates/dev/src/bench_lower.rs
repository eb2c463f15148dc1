//! `gainsay bench-lower`: export and lowering of one unit, to be timed from outside.

use clap::Args;
use gainsay::console::{fail, show};
use gainsay_driver::units::Unit;
use gainsay_driver::work;
use std::process::ExitCode;

#[derive(Args)]
pub(crate) struct BenchLowerArgs {
    /// A line of print-args
    unit: String,
}

pub(crate) fn run(args: &BenchLowerArgs) -> ExitCode {
    let unit: Unit = match serde_json::from_str(&args.unit) {
        Ok(unit) => unit,
        Err(error) => return fail(&format!("not a line of print-args: {error}")),
    };
    match work::lowered(&unit) {
        Err(problem) => fail(&format!("{}: {problem}", unit.file)),
        Ok((_, lowered)) => {
            let functions = lowered.functions.len() + lowered.gave_up.len();
            let gaps: usize = lowered.functions.iter().map(|beside| beside.gaps.len()).sum();
            let given_up = lowered.gave_up.len();
            let line = format!("{}: {functions} functions, {given_up} given up, {gaps} gaps\n", unit.file);
            show(&line)
        }
    }
}
