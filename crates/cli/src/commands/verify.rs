//! `gainsay verify`: every function with a contract, proved, refuted or unknown.

use crate::args::{VerifyArgs, VerifyFormat};
use crate::console::{FAILURE, fail, say, select};
use crate::output::Output;
use gainsay_analysis::loops::Loops;
use gainsay_driver::cache::{Hash, Store};
use gainsay_driver::check_options::CheckOptions;
use gainsay_driver::phases::{Extent, LinkOptions, Linked, Required, annotations, disown};
use gainsay_driver::supervise::{Begin, Pool};
use gainsay_driver::units::Unit;
use gainsay_driver::verify_work::Wanted;
use gainsay_driver::worker::{Job, Order};
use gainsay_program::link::Interface;
use gainsay_report::acsl::{self, Annotation, Before};
use gainsay_report::verdict::{self, Found, UnitVerdict, Verdict};
use gainsay_solver::programs::SolverDirectories;
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
    if let Err(problem) = SolverDirectories::of_this_process() {
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
    let spread = (&args.spread).into();
    let pool = Pool::new(&order, &spread, &stop);
    let wanted = Wanted { all: args.all, fewest: args.emit_acsl };
    let extent = selection.extent(args.input.whole_program);
    let (answers, required) = verified(&pool, &units, wanted, extent);
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
    extent: Extent,
) -> (Vec<Option<Result<UnitVerdict, String>>>, Vec<Required>) {
    let mut units: Vec<Unit> = units.iter().map(|&unit| unit.clone()).collect();
    let survey = |units: &[Unit], is_meant: &(dyn Fn(usize) -> bool + Sync)| {
        let all: Vec<&Unit> = units.iter().collect();
        pool.run::<Interface>(&all, &|index| match is_meant(index) {
            true => Begin::Ask(Job::Survey(units[index].clone())),
            false => Begin::Skip,
        })
    };
    let mut surveyed = survey(&units, &|_| true);
    let interfaces = surveyed.iter().map(|surveyed| surveyed.as_ref()?.as_ref().ok());
    let changed = disown(&mut units, interfaces);
    if !changed.is_empty() {
        let again = survey(&units, &|index| changed.contains(&index));
        let again = surveyed.iter_mut().zip(again).filter(|(_, again)| again.is_some());
        again.for_each(|(surveyed, again)| *surveyed = again);
    }
    let units: &[&Unit] = &units.iter().collect::<Vec<&Unit>>();
    let interface = |surveyed: &mut Option<Result<Interface, String>>| match surveyed {
        Some(Ok(interface)) => Some(std::mem::take(interface)),
        _ => None,
    };
    let options = LinkOptions { extent, beliefs: false, evidence: wanted.fewest, threads: pool.workers() };
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
