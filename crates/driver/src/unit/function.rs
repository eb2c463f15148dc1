//! The analysis of the functions of a unit, one after the other: from the cache, or by the pipeline.

use crate::cache::functions::{Functions, recorded};
use crate::source::display_path::DisplayPaths;
use crate::source::positions::{Home, Positions, SourceTexts};
use crate::unit::analyse::{AnalyseJob, AnalysedUnit, function_report};
use crate::unit::clock::Clock;
use crate::unit::partial::PartialResult;
#[cfg(debug_assertions)]
use crate::worker::fault::{inject, lies};
use crate::worker::state::Sessions;
use gainsay_analysis::boundary::Bodies;
use gainsay_analysis::context::Tools;
use gainsay_analysis::evidence::EvidenceInputs;
use gainsay_analysis::loops::LoopBudget;
use gainsay_analysis::pipeline::{self, Outcome};
use gainsay_frontend::lower::FunctionMetadata;
use gainsay_ir::gc;
use gainsay_ir::source_map::SourceMap;
use gainsay_program::link::{CalleePreconditions, Hints};
use gainsay_report::coverage::FunctionReport;
use std::collections::{BTreeMap, BTreeSet};

/// What the analyses of all functions of a unit share, and their result so far.
pub(super) struct FunctionAnalyser<'a> {
    pub(super) job: &'a AnalyseJob<'a>,
    pub(super) paths: &'a DisplayPaths,
    pub(super) map: &'a SourceMap,
    pub(super) texts: SourceTexts,
    pub(super) lowered: &'a gc::Unit,
    pub(super) bodies: &'a Bodies<'a>,
    pub(super) hints: Option<&'a Hints>,
    /// Of the unit.
    pub(super) identity: &'a str,
    /// Preconditions of the functions that the unit calls.
    pub(super) expected: CalleePreconditions,
    pub(super) sessions: &'a mut Sessions,
    pub(super) loop_budget: LoopBudget,
    pub(super) cached: Option<Functions<'a>>,
    pub(super) clock: Clock,
    /// The result depends on the input only: nothing failed, and no solver was stopped by the clock.
    pub(super) is_deterministic: bool,
    pub(super) send: &'a dyn Fn(&PartialResult),
    pub(super) result: AnalysedUnit,
}

impl FunctionAnalyser<'_> {
    /// Analyses a function and adds it to the result.
    pub(super) fn analyse(&mut self, f: gc::Function, metadata: &FunctionMetadata) {
        let name = &self.lowered.symbols[f.symbol].name;
        self.clock.function.clone_from(name);
        self.result.functions += 1;
        #[cfg(debug_assertions)]
        inject("function-", name);
        let mut report = function_report(self.paths, self.map, name, metadata.span);
        report.gaps = count_gaps(metadata);
        for cmd in f.blocks.values().flat_map(|data| &data.cmds) {
            if let gc::CmdKind::Call(call) = &cmd.kind {
                report.calls += 1;
                report.calls_unknown += u64::from(call.may_write_anything());
            }
        }
        let n_findings = self.result.findings.len();
        match self.outcome(f, metadata, &report) {
            Ok(Outcome { findings, tally }) => {
                report.inconsistent = tally.is_inconsistent;
                report.undecided = tally.undecided;
                report.beliefs_undecided = tally.beliefs_undecided;
                self.result.unexplained += tally.unexplained;
                report.boundary_unconfirmed = tally.boundary_unconfirmed;
                report.loops = tally.loops;
                report.is_too_large = tally.is_too_large;
                self.result.findings.extend(findings);
            }
            Err(reason) => {
                self.is_deterministic = false;
                report.given_up = Some(reason);
            }
        }
        let findings = self.result.findings[n_findings..].to_vec();
        (self.send)(&PartialResult::Function { report: report.clone(), findings });
        self.result.report.functions.push(report);
    }

    /// From the cache or, if it has no entry or is being checked, from the pipeline.
    fn outcome(
        &mut self,
        f: gc::Function,
        metadata: &FunctionMetadata,
        report: &FunctionReport,
    ) -> Result<Outcome, String> {
        let home = Home { file: report.file.clone(), line: report.line };
        let explains_macros = self.job.options.explains_macros();
        let FunctionAnalyser { job, texts, sessions, loop_budget, cached, clock, .. } = self;
        let positions = Positions { paths: self.paths, map: self.map, spans: &metadata.spans, texts };
        loop_budget.begin();
        clock.begin("store");
        let mut cached = cached.as_mut().filter(|_| home.line != 0);
        let key = cached
            .as_ref()
            .map(|cached| cached.key(&f, &expected_by(&f, &self.expected, &home)))
            .unwrap_or_default();
        let entry = cached
            .as_mut()
            .and_then(|cached| cached.find(key, &positions, &home, loop_budget, explains_macros));
        if let Some((outcome, used)) = &entry
            && !job.check_cache
        {
            loop_budget.repeat(used);
            return Ok(outcome.clone());
        }
        self.result.reanalysed += 1;
        let events_before = sessions.nondeterministic_events();
        let tools = Tools {
            first: &mut sessions.first,
            second: &mut sessions.second,
            explains_macros,
            loops: job.options.loops,
            evidence: job.options.evidence.as_ref().map(|(_, settings)| EvidenceInputs {
                settings,
                unit: self.identity,
                expected: &self.expected,
            }),
            bodies: self.bodies,
            loop_budget,
            beliefs: self.hints,
            begin: &mut |stage| clock.begin(stage.name()),
        };
        let (result, trace) =
            recorded(&positions, &home, |source| pipeline::analyse(tools, self.lowered, f, source));
        let is_deterministic = result.is_ok() && sessions.nondeterministic_events() == events_before;
        self.is_deterministic &= is_deterministic;
        if let (Ok(outcome), Some(cached)) = (&result, cached) {
            if let Some((entry, used)) = &entry
                && is_deterministic
                && entry.tally.unexplained == outcome.tally.unexplained
                && (entry, used) != (outcome, &loop_budget.used())
            {
                let path = cached.path().display();
                let (file, name) = (&job.unit.file, &report.name);
                self.result.differences.push(format!("{path}: {file}: function {name}: its result differs"));
            }
            // An entry is found by the function's own text, so one that depends on the rest of the unit is not kept.
            if is_deterministic && !outcome.tally.needs_unit {
                #[cfg(debug_assertions)]
                let outcome = if lies(&job.unit.file) { &Outcome::default() } else { outcome };
                cached.put(key, &home, trace, loop_budget.used(), outcome);
            }
        }
        result
    }
}

/// The preconditions of the functions that it calls, encoded for the cache key. They name lines, which do not move with
/// the function, so the function's own line is part of the key.
fn expected_by(f: &gc::Function, expected: &CalleePreconditions, home: &Home) -> Vec<u8> {
    let called = |cmd: &gc::Cmd| match &cmd.kind {
        gc::CmdKind::Call(call) => match call.callee {
            gc::Callee::Symbol(symbol) => Some(symbol.as_u32()),
            gc::Callee::Pointer(_) => None,
        },
        _ => None,
    };
    let called: BTreeSet<u32> = f.blocks.values().flat_map(|data| &data.cmds).filter_map(called).collect();
    let expected: Vec<_> = called.iter().filter_map(|symbol| expected.get(symbol)).collect();
    if expected.is_empty() {
        return Vec::new();
    }
    postcard::to_stdvec(&(home.line, expected)).unwrap_or_default()
}

fn count_gaps(metadata: &FunctionMetadata) -> BTreeMap<String, u64> {
    let mut gaps = BTreeMap::new();
    for (gap, _) in &metadata.gaps {
        *gaps.entry(gap.name().to_owned()).or_default() += 1;
    }
    gaps
}
