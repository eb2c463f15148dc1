//! `gainsay verify`: every function with a contract, proved, refuted or unknown.

use super::{FAILURE, fail, say, select};
use crate::args::{VerifyArgs, VerifyFormat};
use crate::cache::{Hash, Store};
use crate::check_options::CheckOptions;
use crate::output::Output;
use crate::program::{LinkOptions, Linked, Required, annotations};
use crate::supervise::{Begin, Pool};
use crate::units::Unit;
use crate::verify_work::Wanted;
use crate::worker::{Job, Order};
use gainsay_analysis::link::Interface;
use gainsay_analysis::loops::Loops;
use gainsay_analysis::solver::programs::Places;
use gainsay_report::acsl::{self, Annotation, Before};
use gainsay_report::verdict::{self, Found, UnitVerdict, Verdict};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

const REFUTED: u8 = 1;
const UNKNOWN: u8 = 3;

pub(crate) fn run(args: &VerifyArgs) -> ExitCode {
    let selection = match select(&args.input) {
        Ok(selection) => selection,
        Err(problem) => return fail(&problem),
    };
    selection.notes.iter().for_each(|note| say(note));
    if let Err(problem) = Places::of_this_process() {
        return fail(&problem.to_string());
    }
    let options = match CheckOptions::new(&[], Loops::Off, false, None, args.transcript.as_deref(), false) {
        Ok(options) => options,
        Err(problem) => return fail(&problem),
    };
    let output = match Output::open(args.output.as_deref()) {
        Ok(output) => output,
        Err(problem) => return fail(&problem),
    };
    let units: Vec<&Unit> = selection.units.iter().flatten().collect();
    // Nothing is put aside.
    let store = Store { directory: std::env::temp_dir(), identity: Hash::default(), lasts: false };
    let order = Order { options, store, check_cache: false };
    let stop = AtomicBool::new(false);
    let pool = Pool::new(&order, &args.spread, &stop);
    let wanted = Wanted { all: args.all, fewest: args.emit_acsl };
    let is_whole = args.input.whole_program && units.len() == selection.units.len();
    let (answers, required) = verified(&pool, &units, wanted, is_whole);
    pool.end();
    let mut answers = units.iter().zip(answers);
    let mut verdicts = Vec::new();
    for entry in &selection.units {
        let failed = |file: &str, reason: String| UnitVerdict {
            file: file.to_owned(),
            failed: Some(reason),
            ..UnitVerdict::default()
        };
        verdicts.push(match entry {
            Err(unusable) => failed(&unusable.file, unusable.reason.clone()),
            Ok(unit) => match answers.next() {
                Some((_, Some(Ok(verdict)))) => verdict,
                Some((_, Some(Err(reason)))) => failed(&unit.file, reason),
                _ => failed(&unit.file, "interrupted".into()),
            },
        });
    }
    let mut text = Vec::new();
    let rendered = match args.format {
        VerifyFormat::Text => verdict::write_text(&verdicts, &mut text),
        VerifyFormat::Json => verdict::write_json(&verdicts, &mut text),
    };
    let written = if args.emit_acsl {
        output.write_patch(&found(&verdicts, &required))
    } else {
        rendered.map_err(|error| error.to_string()).and_then(|()| output.write(&text))
    };
    if let Err(problem) = written {
        return fail(&problem);
    }
    ExitCode::from(exit_code(&verdicts))
}

/// What was found to hold in loops, and what functions without a contract expect of their callers, as a patch. A header
/// is part of many units.
fn found(units: &[UnitVerdict], required: &[Required]) -> String {
    let functions = units.iter().flat_map(|unit| &unit.functions);
    let mut all = annotations(required.iter());
    for Found { file, line, column, holds } in functions.flat_map(|function| &function.invariants) {
        let clauses = holds.iter().map(|holds| format!("loop invariant {holds}")).collect();
        let (file, line, column) = (file.clone(), *line, *column);
        let annotation = Annotation { file, line, column, clauses, before: Before::Place };
        if !all.contains(&annotation) {
            all.push(annotation);
        }
    }
    acsl::patch(&all, &|file| std::fs::read_to_string(file).ok())
}

/// First what all units may know of each other, then each unit.
fn verified(
    pool: &Pool,
    units: &[&Unit],
    wanted: Wanted,
    is_whole: bool,
) -> (Vec<Option<Result<UnitVerdict, String>>>, Vec<Required>) {
    let mut surveyed = pool.run::<Interface>(units, &|index| Begin::Ask(Job::Survey(units[index].clone())));
    let interface = |surveyed: &mut Option<Result<Interface, String>>| match surveyed {
        Some(Ok(interface)) => Some(std::mem::take(interface)),
        _ => None,
    };
    let options = LinkOptions { is_whole, beliefs: false, evidence: wanted.fewest, threads: pool.workers() };
    let linked = Linked::new(surveyed.iter_mut().map(interface), options);
    let verdicts = pool.run::<UnitVerdict>(units, &|index| match &surveyed[index] {
        Some(Ok(_)) => {
            Begin::Ask(Job::Verify { unit: units[index].clone(), summaries: linked.known_to(index), wanted })
        }
        _ => Begin::Skip,
    });
    let failed = |surveyed: Option<Result<Interface, String>>| surveyed?.err().map(Err);
    let verdicts = surveyed.into_iter().zip(verdicts);
    let verdicts = verdicts.map(|(surveyed, verdict)| verdict.or(failed(surveyed))).collect();
    (verdicts, linked.required())
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
