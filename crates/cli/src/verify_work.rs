//! What `verify` does with one unit, in this process.

use crate::check_options::CheckOptions;
use crate::kit::{Kit, Sessions};
use crate::places::Base;
use crate::unit_file::CompileError;
use crate::units::Unit;
use crate::work;
use gainsay_analysis::guard::guard;
use gainsay_analysis::link::{Interface, Known};
use gainsay_analysis::pipeline;
use gainsay_analysis::verify::{self, Goal, GoalOutcome, Param, Search};
use gainsay_frontend::lower::{Beside, Lowered, Options, Purpose, lower};
use gainsay_frontend::{ast, clang};
use gainsay_ir::gc::{self, Callee, CmdKind, Loc};
use gainsay_ir::models::Models;
use gainsay_report::verdict::{FunctionVerdict, Inputs, UnitVerdict, Verdict};
use std::collections::BTreeSet;

/// What the rest of the program may know of the unit, from the form in which it is proved.
pub(crate) fn survey(unit: &Unit, kit: &mut Kit) -> Result<Interface, String> {
    let ast = compiled(unit)?;
    let Form { lowered, prepared } = Form::new(&ast, kit.models(ast.target)?, Purpose::Prove)?;
    let given_up: Vec<&str> = lowered.gave_up.iter().map(|gone| gone.name.as_str()).collect();
    guard(|| Interface::new(&unit.identity(), &lowered.unit, &prepared, &given_up))
        .map_err(|panic| format!("internal error while looking at functions: {panic}"))
}

/// `summaries`: what the rest of the program lets the unit know, a [`Known`]. `all`: also functions without a contract.
pub(crate) fn verify(
    unit: &Unit,
    summaries: &[u8],
    all: bool,
    options: &CheckOptions,
    kit: &mut Kit,
) -> Result<UnitVerdict, String> {
    let ast = compiled(unit)?;
    let base = work::base(unit)?;
    let known: Known =
        postcard::from_bytes(summaries).map_err(|error| format!("internal error: {error}"))?;
    let models = kit.models(ast.target)?;
    let proving = Form::new(&ast, models, Purpose::Prove)?.with_callees(&known)?;
    let refuting = Form::new(&ast, models, Purpose::Refute)?;
    let sessions = kit.sessions(options)?;
    let problems =
        work::problems(&base, &ast.source_map, &proving.lowered.functions, &proving.lowered.problems);
    let mut verdict = UnitVerdict { file: unit.file.clone(), problems, ..UnitVerdict::default() };
    for (index, beside) in proving.lowered.functions.iter().enumerate() {
        let in_system = ast.source_map.place(beside.span.at).is_some_and(|place| place.in_system_header);
        if in_system || !all && !beside.annotations.has_contract {
            continue;
        }
        let one = One { ast: &ast, base: &base, proving: &proving, refuting: &refuting, index };
        verdict.functions.push(one.verdict(sessions)?);
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
            assumptions: Vec::new(),
        });
    }
    Ok(verdict)
}

fn compiled(unit: &Unit) -> Result<ast::Unit, String> {
    let ast = clang::parse(&unit.arguments, &unit.directory).map_err(|error| error.to_string())?;
    match CompileError::first_of(&ast) {
        Some(error) => {
            Err(format!("does not compile: {}", error.shown(&work::base(unit)?, &ast.source_map)))
        }
        None => Ok(ast),
    }
}

/// The unit as lowered and prepared for one purpose.
struct Form {
    lowered: Lowered,
    prepared: Vec<gc::Function>,
}

impl Form {
    fn new(ast: &ast::Unit, models: &Models, purpose: Purpose) -> Result<Form, String> {
        guard(|| {
            let lowered = lower(ast, &Options { signed_overflow: true, purpose });
            let prepared = pipeline::with_models(&lowered.unit, lowered.unit.functions.clone(), models);
            Form { lowered, prepared }
        })
        .map_err(|panic| format!("internal error while lowering: {panic}"))
    }

    fn with_callees(mut self, known: &Known) -> Result<Form, String> {
        guard(|| {
            self.prepared = pipeline::with_callees(&mut self.lowered.unit, self.prepared, known);
            self
        })
        .map_err(|panic| format!("internal error while applying summaries: {panic}"))
    }

    fn beside(&self, index: usize) -> &Beside {
        &self.lowered.functions[index]
    }
}

/// One function of the unit.
struct One<'a> {
    ast: &'a ast::Unit,
    base: &'a Base,
    proving: &'a Form,
    refuting: &'a Form,
    index: usize,
}

impl One<'_> {
    fn verdict(&self, sessions: &mut Sessions) -> Result<FunctionVerdict, String> {
        let f = &self.proving.prepared[self.index];
        let beside = self.proving.beside(self.index);
        let unit = &self.proving.lowered.unit;
        let (file, line, _) = self.base.place(&self.ast.source_map, beside.span.at).unwrap_or_default();
        let mut verdict = FunctionVerdict {
            name: unit.symbols[f.symbol].name.clone(),
            file,
            line,
            verdict: Verdict::Proved,
            goals: 0,
            proved: 0,
            open: Vec::new(),
            counterexample: None,
            assumptions: self.assumptions(f, beside),
        };
        let goals = verify::prove(&mut sessions.first, &mut sessions.second, unit, f)?;
        verdict.goals = (goals.len() + beside.annotations.unproved.len()) as u64;
        for Goal { check, loc, outcome } in goals {
            match outcome {
                GoalOutcome::Proved => verdict.proved += 1,
                GoalOutcome::MayFail => {
                    verdict.open.push(format!("{}may fail: {}", self.at(beside, loc), check.fails()))
                }
                GoalOutcome::Unknown(reason) => {
                    verdict.open.push(format!(
                        "{}not decided, {reason}: {}",
                        self.at(beside, loc),
                        check.holds()
                    ));
                }
            }
        }
        for &(check, loc) in &beside.annotations.unproved {
            verdict.open.push(format!(
                "{}not understood, so not proved: {}",
                self.at(beside, loc),
                check.holds()
            ));
        }
        verdict.open.dedup();
        if verdict.open.is_empty() {
            return Ok(verdict);
        }
        verdict.verdict = Verdict::Unknown;
        match self.search(sessions)? {
            Search::Refuted { check, loc, inputs } => {
                verdict.verdict = Verdict::Refuted;
                let beside = self.refuting.beside(self.index);
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

    fn search(&self, sessions: &mut Sessions) -> Result<Search, String> {
        let beside = self.refuting.beside(self.index);
        if !beside.gaps.is_empty() {
            return Ok(Search::Doubtful(format!("{} is not modelled exactly", beside.gaps[0].0.name())));
        }
        let f = &self.refuting.prepared[self.index];
        let unit = &self.refuting.lowered.unit;
        verify::refute(&mut sessions.first, unit, f, &self.params())
    }

    fn params(&self) -> Vec<Param> {
        let name = &self.refuting.lowered.unit.symbols[self.refuting.prepared[self.index].symbol].name;
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

    fn assumptions(&self, f: &gc::Function, beside: &Beside) -> Vec<String> {
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
        let mut called = BTreeSet::new();
        for cmd in f.blocks.values().flat_map(|data| &data.cmds) {
            if let CmdKind::Call(call) = &cmd.kind {
                called.insert(match call.callee {
                    Callee::Symbol(symbol) => format!("`{}`", unit.symbols[symbol].name),
                    Callee::Pointer(_) => "a function called by pointer".to_owned(),
                });
            }
        }
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
    fn at(&self, beside: &Beside, loc: Loc) -> String {
        let span = beside.spans.get(loc);
        match span.and_then(|span| self.base.place(&self.ast.source_map, span.at)) {
            Some((file, line, column)) => format!("{file}:{line}:{column}: "),
            None => String::new(),
        }
    }
}
