//! `gainsay roundtrip`: every lowered function printed, read back and compared.

use super::{FAILURE, fail, say, select, write_out};
use crate::args::RoundtripArgs;
use crate::cache::{Hash, Store};
use crate::check_options::CheckOptions;
use crate::supervise::{Begin, Pool};
use crate::units::Unit;
use crate::work::RoundTripped;
use crate::worker::{Job, Order};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

pub(crate) fn run(args: &RoundtripArgs) -> ExitCode {
    let selection = match select(&args.input) {
        Ok(selection) => selection,
        Err(problem) => return fail(&problem),
    };
    let units: Vec<&Unit> = selection.units.iter().flatten().collect();
    // Nothing is put aside.
    let store = Store { directory: std::env::temp_dir(), identity: Hash::default(), lasts: false };
    let order = Order { options: CheckOptions::default(), store, check_cache: false };
    let stop = AtomicBool::new(false);
    let pool = Pool::new(&order, &args.spread, &stop);
    let answers = pool.run::<RoundTripped>(&units, &|index| Begin::Ask(Job::Roundtrip(units[index].clone())));
    pool.end();
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
    if let Err(problem) = write_out(line.as_bytes()) {
        return fail(&problem);
    }
    match (differences, failed) {
        (0, 0) => ExitCode::SUCCESS,
        (0, _) => ExitCode::from(FAILURE),
        _ => ExitCode::from(1),
    }
}
