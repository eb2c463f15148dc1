//! `gainsay bench-lower`: export and lowering of one unit, to be timed from outside.

use super::{fail, write_out};
use crate::args::BenchLowerArgs;
use crate::units::{self, Wanted};
use crate::work;
use std::process::ExitCode;

pub(crate) fn run(args: &BenchLowerArgs) -> ExitCode {
    let wanted = Wanted { files: &[], build_dir: Some(&args.build_dir), flags: &[], ask_compilers: true };
    let selection = match units::select(&wanted) {
        Ok(selection) => selection,
        Err(problem) => return fail(&problem),
    };
    let Some(unit) = selection.units.iter().flatten().nth(args.index) else {
        return fail(&format!("there is no unit {} in the compile database", args.index));
    };
    match work::lowered(unit) {
        Err(problem) => fail(&format!("{}: {problem}", unit.file)),
        Ok((_, lowered)) => {
            let functions = lowered.functions.len() + lowered.gave_up.len();
            let gaps: usize = lowered.functions.iter().map(|beside| beside.gaps.len()).sum();
            let given_up = lowered.gave_up.len();
            let line = format!("{}: {functions} functions, {given_up} given up, {gaps} gaps\n", unit.file);
            write_out(line.as_bytes());
            ExitCode::SUCCESS
        }
    }
}
