//! `gainsay roundtrip`: every lowered function printed, read back and compared.

use super::{FAILURE, fail, say, select, write_out};
use crate::args::RoundtripArgs;
use crate::check_options::CheckOptions;
use crate::supervise;
use crate::units::Unit;
use crate::work::RoundTripped;
use crate::worker::{Order, Task};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

pub(crate) fn run(args: &RoundtripArgs) -> ExitCode {
    let selection = match select(&args.input) {
        Ok(selection) => selection,
        Err(problem) => return fail(&problem),
    };
    let units: Vec<&Unit> = selection.units.iter().flatten().collect();
    let order = Order { task: Task::Roundtrip, options: CheckOptions::default() };
    let answers = supervise::run::<RoundTripped>(&units, &order, &args.spread, &AtomicBool::new(false));
    let (mut functions, mut differences, mut failed) = (0, 0, selection.units.len() - units.len());
    for (unit, answer) in units.iter().zip(answers.into_iter().flatten()) {
        match answer {
            Ok(done) => {
                functions += done.functions;
                differences += done.differences.len();
                done.differences.iter().for_each(|difference| say(difference));
            }
            Err(reason) => {
                failed += 1;
                say(&format!("{}: not analysed: {reason}", unit.file));
            }
        }
    }
    let line = format!("{functions} functions, {differences} differences, {failed} units failed\n");
    write_out(line.as_bytes());
    match (differences, failed) {
        (0, 0) => ExitCode::SUCCESS,
        (0, _) => ExitCode::from(FAILURE),
        _ => ExitCode::from(1),
    }
}
