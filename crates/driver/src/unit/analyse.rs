//! The analyse phase for one unit: from a unit file, and what linking found about the functions it calls, to findings.

use crate::cache::answer::{self, Settings};
use crate::cache::functions::Functions;
use crate::cache::{Hash, Store};
use crate::check_options::CheckOptions;
use crate::link::LinkedFacts;
use crate::select::Unit;
use crate::source::display_path::DisplayPaths;
use crate::source::positions::SourceTexts;
use crate::unit::clock::{Clock, Timing};
use crate::unit::function::FunctionAnalyser;
use crate::unit::lower::{annotation_problems, display_paths};
use crate::unit::partial::PartialResult;
use crate::unit::read::{ReadOptions, read};
use crate::unit::unit_file::UnitFile;
use crate::worker::state::WorkerState;
use gainsay_analysis::boundary::Bodies;
use gainsay_analysis::guard::guard;
use gainsay_analysis::loops;
use gainsay_frontend::lower::FunctionMetadata;
use gainsay_ir::gap::Gap;
use gainsay_ir::gc;
use gainsay_ir::source_map::{SourceMap, Span};
use gainsay_report::coverage::{FunctionReport, GlobalGap, SolverUse, UnitReport};
use gainsay_report::finding::Finding;
use serde::{Deserialize, Serialize};

/// The result of one unit.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct AnalysedUnit {
    pub(crate) report: UnitReport,
    pub(crate) findings: Vec<Finding>,
    /// Annotations that are not understood: `file:line:column: reason`.
    pub(crate) problems: Vec<String>,
    /// Where the time went, if measured.
    pub(crate) timings: Vec<Timing>,
    /// How many functions the unit has, and how many of them were analysed because the cache had no result.
    pub(crate) functions: u64,
    pub(crate) reanalysed: u64,
    /// Where the cache was wrong, if checked.
    pub(crate) differences: Vec<String>,
    /// Hidden findings whose reasons were not computed.
    pub(crate) unexplained: u64,
    /// How the solvers served.
    pub(crate) solvers: Vec<SolverUse>,
}

pub(crate) struct AnalyseJob<'a> {
    pub(crate) unit: &'a Unit,
    /// The hash of the unit file.
    pub(crate) file: Hash,
    /// Encoded [`LinkedFacts`].
    pub(crate) facts: &'a [u8],
    pub(crate) options: &'a CheckOptions,
    pub(crate) store: &'a Store,
    pub(crate) check_cache: bool,
}

/// `send` gets parts of the result as soon as they are known.
pub(crate) fn analyse(
    job: &AnalyseJob,
    worker_state: &mut WorkerState,
    send: &dyn Fn(&PartialResult),
) -> Result<AnalysedUnit, String> {
    let mut clock = Clock::new(&job.unit.file);
    clock.begin("store");
    let (file, unit_file) = load(job, worker_state)?;
    let LinkedFacts { imports, mut hints, expected } = LinkedFacts::decode(job.facts)?;
    if let Some(hints) = &mut hints {
        hints.add_locking(&unit_file.unit, worker_state.models(unit_file.unit.target)?);
    }
    clock.begin("passes");
    let paths = display_paths(job.unit)?;
    let sessions = worker_state.sessions(job.options)?;
    let (first, second) = (&sessions.first.program().version, &sessions.second.program().version);
    let settings = Settings::new(job.options, first, second, &paths.current);
    let service = sessions.service();
    let report = unit_report(job.unit, &unit_file, &paths);
    let UnitFile { unit: mut lowered, functions: metadata, problems, source_map, texts, .. } = unit_file;
    let bodies = std::mem::take(&mut lowered.functions);
    let prepared = guard(|| gainsay_program::prepare::with_callees(&mut lowered, bodies, &imports))
        .map_err(|panic| format!("internal error while applying models: {panic}"))?;
    // A transcript holds every question, so none may be answered from the cache.
    let cached = (job.store.lasts && job.options.transcript.is_none())
        .then(|| Functions::open(job.store, job.unit, settings.with(hints.as_ref()), &lowered));
    let problems = annotation_problems(&paths, &source_map, &metadata, &problems);
    let own_functions: Vec<(&gc::Function, &FunctionMetadata)> =
        prepared.iter().zip(&metadata).filter(|(_, metadata)| !is_in_system(&source_map, metadata)).collect();
    let ahead = own_functions.iter().map(|(f, metadata)| {
        function_report(&paths, &source_map, &lowered.symbols[f.symbol].name, metadata.span)
    });
    send(&PartialResult::Begun {
        report: report.clone(),
        problems: problems.clone(),
        ahead: ahead.collect(),
    });
    let mut analyser = FunctionAnalyser {
        job,
        paths: &paths,
        map: &source_map,
        texts: SourceTexts::of_unit(texts),
        lowered: &lowered,
        bodies: &Bodies::of(&lowered, &prepared),
        hints: hints.as_ref(),
        identity: &imports.unit,
        expected: expected.unwrap_or_default(),
        sessions,
        loop_budget: loops::loop_budget(&prepared, imports.rounded_unit_count),
        cached,
        clock,
        is_deterministic: true,
        send,
        result: AnalysedUnit { report, problems, ..AnalysedUnit::default() },
    };
    for (f, metadata) in own_functions {
        analyser.analyse(f.clone(), metadata);
    }
    let FunctionAnalyser { mut result, cached, clock, is_deterministic, texts, sessions, .. } = analyser;
    result.solvers = sessions.service_since(&service);
    if job.options.timings {
        result.timings = clock.stop();
    }
    if let Some(cached) = cached
        && texts.is_unchanged()
    {
        cached.close();
        if job.check_cache {
            result.differences.extend(difference(job, &settings, file, &result));
        }
        if is_deterministic {
            answer::write(job.store, job.unit, &settings, file, job.facts, &result);
        }
    }
    Ok(result)
}

/// The unit file of the job: the one that this worker read last, the one in the store, or else one that is read again.
fn load(job: &AnalyseJob, worker_state: &mut WorkerState) -> Result<(Hash, UnitFile), String> {
    if let Some(held) = worker_state.last_unit.take().filter(|(hash, _)| *hash == job.file) {
        return Ok(held);
    }
    if let Some(stored) = UnitFile::read(job.store, job.unit, job.file) {
        return Ok((job.file, stored));
    }
    let options = ReadOptions {
        is_only_unit: !job.store.lasts,
        check_cache: false,
        finds_input_paths: job.options.evidence.is_some(),
    };
    read(job.unit, job.store, options, worker_state)?;
    worker_state.last_unit.take().ok_or_else(|| "internal error: the unit is gone".into())
}

/// What is known of the unit before its functions are analysed.
fn unit_report(unit: &Unit, unit_file: &UnitFile, paths: &DisplayPaths) -> UnitReport {
    let UnitFile { gave_up, gaps, source_map, error, .. } = unit_file;
    let given_up = gave_up.iter().map(|gone| FunctionReport {
        given_up: Some(gone.reason.clone()),
        ..function_report(paths, source_map, &gone.name, gone.span)
    });
    let global_gap = |&(gap, span): &(Gap, Span)| {
        let (file, line, column) = paths.place(source_map, span.at).unwrap_or_default();
        GlobalGap { kind: gap.name().to_owned(), file, line, column }
    };
    UnitReport {
        file: unit.file.clone(),
        functions: given_up.collect(),
        gaps: gaps.iter().map(global_gap).collect(),
        error: error.as_ref().map(|error| error.describe(paths, source_map)),
        ..UnitReport::default()
    }
}

/// Functions of system headers are not the user's to change, so they are not analysed.
fn is_in_system(map: &SourceMap, metadata: &FunctionMetadata) -> bool {
    map.place(metadata.span.at).is_some_and(|place| place.in_system_header)
}

/// The cached result of the unit, if it differs from this one, as a sentence.
fn difference(job: &AnalyseJob, settings: &Settings, file: Hash, result: &AnalysedUnit) -> Option<String> {
    let cached = answer::read(job.store, job.unit, settings, file, job.facts, false)?;
    let is_different = cached.unexplained == result.unexplained
        && (&cached.report, &cached.findings) != (&result.report, &result.findings);
    let entry = job.store.path(job.unit, "*.answer");
    is_different.then(|| format!("{}: {}: the unit's result differs", entry.display(), job.unit.file))
}

pub(super) fn function_report(
    paths: &DisplayPaths,
    map: &SourceMap,
    name: &str,
    span: Span,
) -> FunctionReport {
    let (file, line, _) = paths.place(map, span.at).unwrap_or_default();
    FunctionReport { name: name.to_owned(), file, line, ..FunctionReport::default() }
}
