//! The second phase: from a unit file, and what is known of the functions it calls, to findings.

use crate::cache::answer::{self, Settings};
use crate::cache::functions::{Functions, recorded};
use crate::cache::{Hash, Store};
use crate::check_options::CheckOptions;
use crate::clock::{Clock, Timing};
use crate::piece::Piece;
use crate::places::Base;
use crate::positions::{Home, Positions, Texts};
use crate::read::{How, read};
use crate::unit_file::UnitFile;
use crate::units::Unit;
use crate::work::{self, base};
#[cfg(debug_assertions)]
use crate::worker::fault::{inject, lies};
use crate::worker_state::{Sessions, WorkerState};
use gainsay_analysis::boundary::Bodies;
use gainsay_analysis::context::Tools;
use gainsay_analysis::evidence::EvidenceInputs;
use gainsay_analysis::guard::guard;
use gainsay_analysis::loops::{self, LoopBudget};
use gainsay_analysis::pipeline::{self, Outcome};
use gainsay_frontend::lower::FunctionMetadata;
use gainsay_ir::gap::Gap;
use gainsay_ir::gc;
use gainsay_ir::source_map::{SourceMap, Span};
use gainsay_program::link::{CalleePreconditions, Hints, UnitImports};
use gainsay_report::coverage::{FunctionReport, GlobalGap, SolverUse, UnitReport};
use gainsay_report::finding::Finding;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What came of one unit.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Checked {
    pub report: UnitReport,
    pub findings: Vec<Finding>,
    /// Annotations that are not understood: `file:line:column: why`.
    pub problems: Vec<String>,
    /// Where the time went, if somebody asked.
    pub timings: Vec<Timing>,
    /// How many functions were analysed, and how many of them because nothing was known of them.
    pub functions: u64,
    pub anew: u64,
    /// Where the cache was wrong, if somebody asked.
    pub differences: Vec<String>,
    /// Hidden findings without reasons.
    pub unexplained: u64,
    /// How the solvers served.
    pub solvers: Vec<SolverUse>,
}

/// The unit that `read` left behind under that hash. `summaries`: what the rest of the program lets it know, a [`UnitImports`] and,
/// if beliefs are wanted, [`Hints`].
pub struct Work<'a> {
    pub unit: &'a Unit,
    pub file: Hash,
    pub summaries: &'a [u8],
    pub options: &'a CheckOptions,
    pub store: &'a Store,
    pub check_cache: bool,
}

/// `send` is given pieces of the answer as soon as they are known.
pub fn analyse(
    work: &Work,
    worker_state: &mut WorkerState,
    send: &dyn Fn(&Piece),
) -> Result<Checked, String> {
    let mut clock = Clock::new(&work.unit.file);
    clock.begin("store");
    let (file, unit_file) = load(work, worker_state)?;
    let (known, mut hints, expected): (UnitImports, Option<Hints>, Option<CalleePreconditions>) =
        postcard::from_bytes(work.summaries).map_err(|error| format!("internal error: {error}"))?;
    if let Some(hints) = &mut hints {
        hints.add_locking(&unit_file.unit, worker_state.models(unit_file.unit.target)?);
    }
    clock.begin("passes");
    let current = base(work.unit)?;
    let sessions = worker_state.sessions(work.options)?;
    let (first, second) = (&sessions.first.program().version, &sessions.second.program().version);
    let settings = Settings::new(work.options, first, second, &current.current);
    let service = sessions.service();
    let UnitFile { unit: mut lowered, functions: beside, gave_up, gaps, problems, source_map, error, texts } =
        unit_file;
    let bodies = std::mem::take(&mut lowered.functions);
    let prepared = guard(|| gainsay_program::prepare::with_callees(&mut lowered, bodies, &known))
        .map_err(|panic| format!("internal error while applying models: {panic}"))?;
    let bodies = Bodies::of(&lowered, &prepared);
    // A transcript is of all questions, so nothing may be known.
    let cached = (work.store.lasts && work.options.transcript.is_none())
        .then(|| Functions::open(work.store, work.unit, settings.with(hints.as_ref()), &lowered));
    let given_up = gave_up.iter().map(|gone| FunctionReport {
        given_up: Some(gone.reason.clone()),
        ..function_report(&current, &source_map, &gone.name, gone.span)
    });
    let global_gap = |&(gap, span): &(Gap, Span)| {
        let (file, line, column) = current.place(&source_map, span.at).unwrap_or_default();
        GlobalGap { kind: gap.name().to_owned(), file, line, column }
    };
    let report = UnitReport {
        file: work.unit.file.clone(),
        functions: given_up.collect(),
        gaps: gaps.iter().map(global_gap).collect(),
        error: error.map(|error| error.shown(&current, &source_map)),
        ..UnitReport::default()
    };
    let problems = work::problems(&current, &source_map, &beside, &problems);
    // What the system's headers hold is not the user's to change.
    let is_own = |beside: &FunctionMetadata| {
        !source_map.place(beside.span.at).is_some_and(|place| place.in_system_header)
    };
    let ahead = prepared.iter().zip(&beside).filter(|(_, beside)| is_own(beside)).map(|(f, beside)| {
        function_report(&current, &source_map, &lowered.symbols[f.symbol].name, beside.span)
    });
    let ahead = ahead.collect();
    send(&Piece::Begun { report: report.clone(), problems: problems.clone(), ahead });
    let mut analyser = Analyser {
        work,
        base: &current,
        map: &source_map,
        texts: Texts::of_unit(texts),
        lowered: &lowered,
        bodies: &bodies,
        hints: hints.as_ref(),
        identity: &known.unit,
        expected: expected.unwrap_or_default(),
        sessions,
        loop_budget: loops::loop_budget(&prepared, known.rounded_unit_count),
        cached,
        clock,
        is_settled: true,
        send,
        checked: Checked { report, problems, ..Checked::default() },
    };
    for (f, beside) in prepared.iter().zip(&beside) {
        if is_own(beside) {
            analyser.function(f.clone(), beside);
        }
    }
    let Analyser { mut checked, cached, clock, is_settled, texts, sessions, .. } = analyser;
    checked.solvers = sessions.service_since(&service);
    if work.options.timings {
        checked.timings = clock.stop();
    }
    if let Some(cached) = cached
        && texts.is_steady()
    {
        cached.close();
        if work.check_cache
            && let Some(known) = answer::read(work.store, work.unit, &settings, file, work.summaries, false)
            && known.unexplained == checked.unexplained
            && (&known.report, &known.findings) != (&checked.report, &checked.findings)
        {
            let entry = work.store.path(work.unit, "*.answer");
            let file = &work.unit.file;
            checked.differences.push(format!("{}: {file}: the unit's result differs", entry.display()));
        }
        if is_settled {
            answer::write(work.store, work.unit, &settings, file, work.summaries, &checked);
        }
    }
    Ok(checked)
}

/// Whatever happened to the unit file, the source is still there.
fn load(work: &Work, worker_state: &mut WorkerState) -> Result<(Hash, UnitFile), String> {
    if let Some(held) = worker_state.held.take().filter(|(hash, _)| *hash == work.file) {
        return Ok(held);
    }
    if let Some(stored) = UnitFile::read(work.store, work.unit, work.file) {
        return Ok((work.file, stored));
    }
    read(
        work.unit,
        work.store,
        How {
            is_alone: !work.store.lasts,
            check_cache: false,
            finds_input_paths: work.options.evidence.is_some(),
        },
        worker_state,
    )?;
    worker_state.held.take().ok_or_else(|| "internal error: the unit is gone".into())
}

struct Analyser<'a> {
    work: &'a Work<'a>,
    base: &'a Base,
    map: &'a SourceMap,
    texts: Texts,
    lowered: &'a gc::Unit,
    bodies: &'a Bodies<'a>,
    hints: Option<&'a Hints>,
    /// Of the unit.
    identity: &'a str,
    /// What the functions that the unit calls expect.
    expected: CalleePreconditions,
    sessions: &'a mut Sessions,
    loop_budget: LoopBudget,
    cached: Option<Functions<'a>>,
    clock: Clock,
    /// Nothing but the input decided.
    is_settled: bool,
    send: &'a dyn Fn(&Piece),
    checked: Checked,
}

impl Analyser<'_> {
    fn function(&mut self, f: gc::Function, beside: &FunctionMetadata) {
        let name = &self.lowered.symbols[f.symbol].name;
        self.clock.function.clone_from(name);
        self.checked.functions += 1;
        #[cfg(debug_assertions)]
        inject("function-", name);
        let mut report = function_report(self.base, self.map, name, beside.span);
        report.gaps = count_gaps(beside);
        for cmd in f.blocks.values().flat_map(|data| &data.cmds) {
            if let gc::CmdKind::Call(call) = &cmd.kind {
                report.calls += 1;
                report.calls_unknown += u64::from(call.may_write_anything());
            }
        }
        let n_found = self.checked.findings.len();
        match self.outcome(f, beside, &report) {
            Ok(Outcome { findings, tally }) => {
                report.inconsistent = tally.is_inconsistent;
                report.undecided = tally.undecided;
                report.beliefs_undecided = tally.beliefs_undecided;
                self.checked.unexplained += tally.unexplained;
                report.boundary_unconfirmed = tally.boundary_unconfirmed;
                report.loops = tally.loops;
                report.is_too_large = tally.is_too_large;
                self.checked.findings.extend(findings);
            }
            Err(reason) => {
                self.is_settled = false;
                report.given_up = Some(reason);
            }
        }
        let findings = self.checked.findings[n_found..].to_vec();
        (self.send)(&Piece::Function { report: report.clone(), findings });
        self.checked.report.functions.push(report);
    }

    fn outcome(
        &mut self,
        f: gc::Function,
        beside: &FunctionMetadata,
        report: &FunctionReport,
    ) -> Result<Outcome, String> {
        let home = Home { file: report.file.clone(), line: report.line };
        let explains_macros = self.work.options.explains_macros();
        let Analyser { work, texts, sessions, loop_budget, cached, clock, .. } = self;
        let positions = Positions { base: self.base, map: self.map, spans: &beside.spans, texts };
        loop_budget.begin();
        clock.begin("store");
        let mut cached = cached.as_mut().filter(|_| home.line != 0);
        let key = cached
            .as_ref()
            .map(|cached| cached.key(&f, &expected_by(&f, &self.expected, &home)))
            .unwrap_or_default();
        let known = cached
            .as_mut()
            .and_then(|cached| cached.find(key, &positions, &home, loop_budget, explains_macros));
        if let Some((outcome, used)) = &known
            && !work.check_cache
        {
            loop_budget.repeat(used);
            return Ok(outcome.clone());
        }
        self.checked.anew += 1;
        let nondeterministic_events = sessions.nondeterministic_events();
        let tools = Tools {
            first: &mut sessions.first,
            second: &mut sessions.second,
            explains_macros,
            loops: work.options.loops,
            evidence: work.options.evidence.as_ref().map(|(_, settings)| EvidenceInputs {
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
        let is_settled = result.is_ok() && sessions.nondeterministic_events() == nondeterministic_events;
        self.is_settled &= is_settled;
        if let (Ok(outcome), Some(cached)) = (&result, cached) {
            if let Some((known, used)) = &known
                && is_settled
                && known.tally.unexplained == outcome.tally.unexplained
                && (known, used) != (outcome, &loop_budget.used())
            {
                let entry = cached.path().display();
                let (file, name) = (&work.unit.file, &report.name);
                self.checked
                    .differences
                    .push(format!("{entry}: {file}: function {name}: its result differs"));
            }
            // An entry is found by the function's own text.
            if is_settled && !outcome.tally.needs_unit {
                #[cfg(debug_assertions)]
                let outcome = if lies(&work.unit.file) { &Outcome::default() } else { outcome };
                cached.put(key, &home, trace, loop_budget.used(), outcome);
            }
        }
        result
    }
}

/// What the functions that it calls expect, as bytes. They name places, which do not move with the function.
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

fn count_gaps(beside: &FunctionMetadata) -> BTreeMap<String, u64> {
    let mut gaps = BTreeMap::new();
    for (gap, _) in &beside.gaps {
        *gaps.entry(gap.name().to_owned()).or_default() += 1;
    }
    gaps
}

fn function_report(base: &Base, map: &SourceMap, name: &str, span: Span) -> FunctionReport {
    let (file, line, _) = base.place(map, span.at).unwrap_or_default();
    FunctionReport { name: name.to_owned(), file, line, ..FunctionReport::default() }
}
