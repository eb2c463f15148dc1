//! What `verify` does with one unit, in this process.

mod proofs;

use crate::check_options::CheckOptions;
use crate::places::Base;
use crate::supervise::Answer;
use crate::unit_file::CompileError;
use crate::units::Unit;
use crate::work;
use crate::worker_state::{Sessions, WorkerState};
use gainsay_analysis::guard::guard;
use gainsay_analysis::verify::{self, Goal, GoalOutcome, Param, Search};
use gainsay_frontend::clang::ast;
use gainsay_frontend::lower::{FunctionMetadata, Help, Purpose};
use gainsay_ir::gc::{self, Callee, CmdKind, Loc};
use gainsay_ir::source_map::Raw;
use gainsay_program::link::{CalleePreconditions, Hints, Interface, UnitImports};
use gainsay_report::verdict::{Found, FunctionVerdict, Inputs, UnitVerdict, Verdict};
use proofs::{Attempt, Form, Proofs};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

impl Answer for Interface {}
impl Answer for UnitVerdict {}

/// What the rest of the program may know of the unit.
pub fn survey(unit: &Unit, worker_state: &mut WorkerState) -> Result<Interface, String> {
    let ast = compiled(unit)?;
    let Form { lowered, prepared } =
        Form::new(&ast, worker_state.models(ast.target)?, Purpose::Check, &Help::default())?;
    let unread = lowered.unread();
    let given_up: Vec<&str> = unread.iter().map(String::as_str).collect();
    let interface = || {
        let mut interface =
            Interface::new(&unit.identity(), &lowered.unit, &prepared, &given_up, &|_, _| None);
        interface.find_input_paths(&lowered.unit, &prepared);
        interface
    };
    let mut interface =
        guard(interface).map_err(|panic| format!("internal error while looking at functions: {panic}"))?;
    work::located(&mut interface, unit, &ast.source_map, &lowered.functions);
    Ok(interface)
}

/// How a unit is verified.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Wanted {
    /// Also functions without a contract.
    pub all: bool,
    /// Of the invariants that are found, only those that are needed.
    pub fewest: bool,
}

/// `summaries`: what the rest of the program lets the unit know, a [`UnitImports`].
pub fn verify(
    unit: &Unit,
    summaries: &[u8],
    wanted: Wanted,
    options: &CheckOptions,
    worker_state: &mut WorkerState,
) -> Result<UnitVerdict, String> {
    let ast = compiled(unit)?;
    let base = work::base(unit)?;
    let (known, ..): (UnitImports, Option<Hints>, Option<CalleePreconditions>) =
        postcard::from_bytes(summaries).map_err(|error| format!("internal error: {error}"))?;
    let models = worker_state.models(ast.target)?.clone();
    let surveyed = Form::new(&ast, &models, Purpose::Check, &Help::default())?.lowered.unit;
    let proofs = Proofs { ast: &ast, models: &models, surveyed, known };
    let proving = proofs.form(&Help::default())?;
    let sessions = worker_state.sessions(options)?;
    let service = sessions.service();
    let problems =
        work::problems(&base, &ast.source_map, &proving.lowered.functions, &proving.lowered.problems);
    let mut verdict = UnitVerdict { file: unit.file.clone(), problems, ..UnitVerdict::default() };
    let mut attempts = Vec::new();
    for (index, beside) in proving.lowered.functions.iter().enumerate() {
        let in_system = ast.source_map.place(beside.span.at).is_some_and(|place| place.in_system_header);
        if !in_system && (wanted.all || beside.annotations.has_contract) {
            attempts.push(proofs.attempt(sessions, &proving, index, wanted.fewest)?);
        }
    }
    let help = Help { proved: reliable(&proving, &attempts), ..Help::default() };
    let refuting = Form::new(&ast, &models, Purpose::Refute, &help)?;
    let of_unit = OfUnit { ast: &ast, base: &base, proving: &proving, refuting: &refuting };
    for attempt in attempts {
        verdict.functions.push(of_unit.verdict(sessions, attempt)?);
    }
    for gone in &proving.lowered.gave_up {
        let (file, line, _) = base.place(&ast.source_map, gone.span.at).unwrap_or_default();
        verdict.functions.push(FunctionVerdict {
            name: gone.name.clone(),
            file,
            line,
            verdict: Verdict::Unknown,
            goals: 0,
            proved: 0,
            open: vec![gone.reason.clone()],
            counterexample: None,
            invariants: Vec::new(),
            assumptions: Vec::new(),
        });
    }
    match sessions.service_since(&service).iter().find(|solver| solver.is_useless()) {
        Some(useless) => Err(useless.to_string()),
        None => Ok(verdict),
    }
}

fn compiled(unit: &Unit) -> Result<ast::Unit, String> {
    let ast = work::parsed(unit)?;
    match CompileError::first_of(&ast) {
        Some(error) => Err(format!("does not compile: {}", error.shown(&work::base(unit)?, &ast.source_map))),
        None => Ok(ast),
    }
}

/// Functions that keep their contract and return, so that a counterexample may rely on it: proved, with nothing admitted and
/// no loop or recursion that may go on for ever, as are all functions whose contracts that rests on.
fn reliable(proving: &Form, attempts: &[Attempt]) -> BTreeSet<String> {
    let beside = |attempt: &Attempt| &proving.lowered.functions[attempt.index].annotations;
    let name = |attempt: &Attempt| proving.name(attempt.index).to_owned();
    let mut reliable: BTreeSet<String> = attempts
        .iter()
        .filter(|attempt| {
            let notes = beside(attempt);
            attempt.is_proved()
                && notes.unproved.is_empty()
                && notes.admitted.is_empty()
                && notes.loops_without_variant == 0
                && !notes.relies_on.contains(&name(attempt))
                && called(&proving.lowered.unit, &proving.prepared[attempt.index]).is_empty()
        })
        .map(name)
        .collect();
    loop {
        let rests_on_others =
            |attempt: &&Attempt| !beside(attempt).relies_on.iter().all(|callee| reliable.contains(callee));
        let gone: Vec<String> = attempts.iter().filter(rests_on_others).map(name).collect();
        let before = reliable.len();
        reliable.retain(|name| !gone.contains(name));
        if reliable.len() == before {
            return reliable;
        }
    }
}

/// Names of functions that are called, other than by their contracts.
fn called(unit: &gc::Unit, f: &gc::Function) -> BTreeSet<String> {
    let calls = f.blocks.values().flat_map(|data| &data.cmds).filter_map(|cmd| match &cmd.kind {
        CmdKind::Call(call) => Some(call),
        _ => None,
    });
    calls
        .map(|call| match call.callee {
            Callee::Symbol(symbol) => format!("`{}`", unit.symbols[symbol].name),
            Callee::Pointer(_) => "a function called by pointer".to_owned(),
        })
        .collect()
}

/// The functions of a unit.
struct OfUnit<'a> {
    ast: &'a ast::Unit,
    base: &'a Base,
    proving: &'a Form,
    refuting: &'a Form,
}

impl OfUnit<'_> {
    fn verdict(&self, sessions: &mut Sessions, attempt: Attempt) -> Result<FunctionVerdict, String> {
        let Attempt { index, goals, beside, invariants } = attempt;
        let f = &self.proving.prepared[index];
        let notes = &self.proving.lowered.functions[index].annotations;
        let (file, line, _) = self.base.place(&self.ast.source_map, beside.span.at).unwrap_or_default();
        let mut verdict = FunctionVerdict {
            name: self.proving.name(index).to_owned(),
            file,
            line,
            verdict: Verdict::Proved,
            goals: (goals.len() + notes.unproved.len()) as u64,
            proved: 0,
            open: Vec::new(),
            counterexample: None,
            invariants: invariants.iter().map(|(&at, holds)| self.found(at, holds)).collect(),
            assumptions: self.assumptions(f, &self.proving.lowered.functions[index]),
        };
        for Goal { check, loc, outcome } in goals {
            let at = self.at(&beside, loc);
            match outcome {
                GoalOutcome::Proved => verdict.proved += 1,
                GoalOutcome::MayFail => verdict.open.push(format!("{at}may fail: {}", check.fails())),
                GoalOutcome::Unknown(reason) => {
                    verdict.open.push(format!("{at}not decided, {reason}: {}", check.holds()));
                }
            }
        }
        for &(check, loc) in &beside.annotations.unproved {
            let at = self.at(&beside, loc);
            verdict.open.push(format!("{at}not understood, so not proved: {}", check.holds()));
        }
        verdict.open.dedup();
        if verdict.open.is_empty() {
            return Ok(verdict);
        }
        verdict.verdict = Verdict::Unknown;
        match self.search(sessions, index)? {
            Search::Refuted { check, loc, inputs } => {
                verdict.verdict = Verdict::Refuted;
                let beside = &self.refuting.lowered.functions[index];
                verdict.counterexample = Some(Inputs {
                    fails: format!("{}{}", self.at(beside, loc), check.fails()),
                    inputs: inputs.shown.clone(),
                    harness: inputs.harness(&verdict.name),
                });
            }
            Search::NotFound => {
                verdict.open.push("no counterexample with small inputs and few iterations".into())
            }
            Search::Doubtful(reason) => verdict.open.push(format!("no counterexample to rely on: {reason}")),
        }
        Ok(verdict)
    }

    fn found(&self, at: Raw, holds: &[String]) -> Found {
        let (file, line, column) = self.base.place(&self.ast.source_map, at).unwrap_or_default();
        Found { file, line, column, holds: holds.to_vec() }
    }

    fn search(&self, sessions: &mut Sessions, index: usize) -> Result<Search, String> {
        let beside = &self.refuting.lowered.functions[index];
        if !beside.gaps.is_empty() {
            return Ok(Search::Doubtful(format!("{} is not modelled exactly", beside.gaps[0].0.name())));
        }
        let f = &self.refuting.prepared[index];
        let unit = &self.refuting.lowered.unit;
        verify::refute(&mut sessions.first, unit, f, &self.params(index))
    }

    fn params(&self, index: usize) -> Vec<Param> {
        let name = self.refuting.name(index);
        let decl = self.ast.functions().find(|&decl| self.ast.name(decl) == name);
        let members = decl.map(|decl| self.ast.members(decl)).unwrap_or_default();
        let of = |&param: &ast::DeclId| {
            let ty = self.ast.decl_type(param);
            Param {
                name: self.ast.name(param).to_owned(),
                spelling: self.ast.spelling(ty).to_owned(),
                bits: match self.ast.ty(ty) {
                    ast::Type::Int { bits, .. } => bits,
                    _ => 32,
                },
                signed: self.ast.is_signed(ty),
            }
        };
        members.iter().map(of).collect()
    }

    fn assumptions(&self, f: &gc::Function, beside: &FunctionMetadata) -> Vec<String> {
        let unit = &self.proving.lowered.unit;
        let mut all = Vec::new();
        let defined: Vec<&str> =
            unit.functions.iter().map(|f| unit.symbols[f.symbol].name.as_str()).collect();
        for name in &beside.annotations.relies_on {
            all.push(if defined.contains(&name.as_str()) {
                format!("the contract of `{name}`, which has a verdict of its own")
            } else {
                format!("the contract of `{name}`, which is defined elsewhere")
            });
        }
        let called = called(unit, f);
        let unknown = called
            .iter()
            .filter(|name| !beside.annotations.relies_on.contains(&name.trim_matches('`').to_owned()));
        all.extend(unknown.map(|name| format!("{name} has no contract: whatever it does is free of errors")));
        for &loc in &beside.annotations.admitted {
            all.push(format!("{}what is admitted there", self.at(beside, loc)));
        }
        let gaps: BTreeSet<&str> = beside.gaps.iter().map(|(gap, _)| gap.name()).collect();
        all.extend(
            gaps.into_iter().map(|gap| format!("not modelled exactly: {gap} (anything may come of it)")),
        );
        match beside.annotations.loops_without_variant {
            0 => {}
            1 => all.push("that a loop without a variant ends is not shown".into()),
            n => all.push(format!("that {n} loops without a variant end is not shown")),
        }
        if beside.annotations.relies_on.contains(&unit.symbols[f.symbol].name) {
            all.push("that the recursion ends is not shown".into());
        }
        all
    }

    /// "file:line:column: "
    fn at(&self, beside: &FunctionMetadata, loc: Loc) -> String {
        let span = beside.spans.get(loc);
        match span.and_then(|span| self.base.place(&self.ast.source_map, span.at)) {
            Some((file, line, column)) => format!("{file}:{line}:{column}: "),
            None => String::new(),
        }
    }
}
