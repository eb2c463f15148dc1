//! `gainsay verify`: every function with a contract is proved, refuted or left unknown.

use crate::args::{VerifyArgs, VerifyFormat};
use crate::console::{FAILURE, fail, say, select};
use crate::output::Output;
use gainsay_analysis::loops::Loops;
use gainsay_driver::cache::{Hash, Store};
use gainsay_driver::check_options::CheckOptions;
use gainsay_driver::invariant_patch;
use gainsay_driver::link::RequiredClause;
use gainsay_driver::phases::{self, Run};
use gainsay_driver::unit::verify::VerifyOptions;
use gainsay_driver::worker::WorkerOptions;
use gainsay_report::verdict::{self, UnitVerdict, Verdict};
use gainsay_solver::programs::SolverDirectories;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

// not a limit: exit codes
const REFUTED: u8 = 1;
const UNKNOWN: u8 = 3;

pub(crate) fn run(args: &VerifyArgs) -> ExitCode {
    match verify(args) {
        Ok(code) => ExitCode::from(code),
        Err(problem) => fail(&problem),
    }
}

fn verify(args: &VerifyArgs) -> Result<u8, String> {
    let selection = select(&args.input)?;
    selection.notes.iter().for_each(|note| say(note));
    SolverDirectories::of_this_process().map_err(|problem| problem.to_string())?;
    let options = CheckOptions::new(&[], Loops::Off, false, None, args.transcript.as_deref(), false)?;
    let output = Output::open(args.output.as_deref())?;
    // Nothing is stored.
    let store = Store { directory: std::env::temp_dir(), identity: Hash::default(), lasts: false };
    let run = Run {
        selection: &selection,
        extent: selection.extent(args.input.whole_program),
        worker: &WorkerOptions { options, store, check_cache: false },
        pool: &(&args.pool).into(),
        stop: &AtomicBool::new(false),
    };
    let verify_options = VerifyOptions { all_functions: args.all, fewest_invariants: args.emit_acsl };
    let (verdicts, required) = phases::verify(&run, verify_options);
    output.write(&render(args, &output, &verdicts, &required)?)?;
    Ok(exit_code(&verdicts))
}

fn render(
    args: &VerifyArgs,
    output: &Output,
    verdicts: &[UnitVerdict],
    required: &[RequiredClause],
) -> Result<Vec<u8>, String> {
    if args.emit_acsl {
        return Ok(output.patch(&invariant_patch(verdicts, required)));
    }
    let mut text = Vec::new();
    let rendered = match args.format {
        VerifyFormat::Text => verdict::write_text(verdicts, &mut text),
        VerifyFormat::Json => verdict::write_json(verdicts, &mut text),
    };
    rendered.map(|()| text).map_err(|error| error.to_string())
}

fn exit_code(units: &[UnitVerdict]) -> u8 {
    let worst = units.iter().flat_map(|unit| &unit.functions).map(|function| function.verdict).max();
    if units.iter().any(|unit| unit.failed.is_some() || !unit.problems.is_empty()) {
        FAILURE
    } else {
        match worst {
            Some(Verdict::Refuted) => REFUTED,
            Some(Verdict::Unknown) => UNKNOWN,
            Some(Verdict::Proved) | None => 0,
        }
    }
}
