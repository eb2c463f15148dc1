//! Proofs of the functions of a unit: first with the annotations in the source, then with loop invariants that are searched
//! for open goals. Invariants are lowered like annotations and proved with the rest; those that do not hold are dropped.

use crate::limits::{INVARIANT_ROUNDS, MINIMIZATION_PROOFS};
use crate::worker::state::Sessions;
use gainsay_analysis::guard::guard;
use gainsay_analysis::verify::{self, GoalOutcome, InferredInvariants, ProofGoal};
use gainsay_frontend::clang::ast;
use gainsay_frontend::lower::{Annotations, FunctionMetadata, Help, Lowered, Options, Purpose, lower_with};
use gainsay_ir::check::Check;
use gainsay_ir::gc;
use gainsay_ir::source_map::Raw;
use gainsay_program::link::UnitImports;
use gainsay_program::models::Models;
use std::collections::{BTreeMap, BTreeSet};

type Invariants = BTreeMap<Raw, Vec<String>>;

/// The unit as lowered and prepared for one purpose.
pub(super) struct Form {
    pub(super) lowered: Lowered,
    pub(super) prepared: Vec<gc::Function>,
}

impl Form {
    pub(super) fn new(
        ast: &ast::Unit,
        models: &Models,
        purpose: Purpose,
        help: &Help,
    ) -> Result<Form, String> {
        guard(|| {
            let mut lowered = lower_with(ast, &Options { signed_overflow: true, purpose }, help);
            let bodies = lowered.unit.functions.clone();
            let prepared = gainsay_program::prepare::with_models(&mut lowered.unit, bodies, models);
            Form { lowered, prepared }
        })
        .map_err(|panic| format!("internal error while lowering: {panic}"))
    }

    /// The name of the function of that number.
    pub(super) fn name(&self, index: usize) -> &str {
        &self.lowered.unit.symbols[self.prepared[index].symbol].name
    }
}

/// The outcome of the asserts of a function.
pub(super) struct Attempt {
    pub(super) index: usize,
    pub(super) goals: Vec<ProofGoal>,
    /// The positions of the goals.
    pub(super) metadata: FunctionMetadata,
    /// Invariants that are not in the source and were used, by the position of the loop.
    pub(super) invariants: Invariants,
}

impl Attempt {
    pub(super) fn is_proved(&self) -> bool {
        self.goals.iter().all(|goal| goal.outcome == GoalOutcome::Proved)
    }
}

/// What all proofs of a unit share.
pub(super) struct Proofs<'a> {
    pub(super) ast: &'a ast::Unit,
    pub(super) models: &'a Models,
    /// The unit whose symbol numbers `imports` uses.
    pub(super) surveyed: gc::Unit,
    pub(super) imports: UnitImports,
}

impl Proofs<'_> {
    /// The unit with summaries applied to its calls.
    pub(super) fn form(&self, help: &Help) -> Result<Form, String> {
        let mut form = Form::new(self.ast, self.models, Purpose::Prove, help)?;
        let imports = self.imports_of(&form.lowered.unit);
        guard(|| {
            form.prepared =
                gainsay_program::prepare::with_callees(&mut form.lowered.unit, form.prepared, &imports);
            form
        })
        .map_err(|panic| format!("internal error while applying summaries: {panic}"))
    }

    /// The imports with the symbol numbers of `unit`. Symbols are numbered in the order of their first mention, which may be
    /// an annotation, so both units are matched by name. Statics of one name (`x`, `x.1`) are told apart by that order, so
    /// what is known of them is left out.
    fn imports_of(&self, unit: &gc::Unit) -> UnitImports {
        let by_name: BTreeMap<&str, u32> =
            unit.symbols.iter().map(|(symbol, data)| (data.name.as_str(), symbol.as_u32())).collect();
        let number = |&surveyed: &u32| {
            let name = self.surveyed.symbols.get(gc::Symbol::from_u32(surveyed))?.name.as_str();
            let numbered = format!("{name}.");
            let next = by_name.range(numbered.as_str()..).next();
            if name.contains('.') || next.is_some_and(|(other, _)| other.starts_with(&numbered)) {
                return None;
            }
            by_name.get(name).copied()
        };
        let functions = self.imports.callee_summaries.iter();
        UnitImports {
            callee_summaries: functions.filter_map(|(old, of)| Some((number(old)?, of.clone()))).collect(),
            hidden_objects: self.imports.hidden_objects.iter().filter_map(number).collect(),
            ..self.imports.clone()
        }
    }

    pub(super) fn attempt(
        &self,
        sessions: &mut Sessions,
        form: &Form,
        index: usize,
        fewest: bool,
    ) -> Result<Attempt, String> {
        let plain = self.prove(sessions, form, index, Invariants::new())?;
        if plain.is_proved() {
            return Ok(plain);
        }
        let Sessions { first, second } = sessions;
        let (unit, f) = (&form.lowered.unit, &form.prepared[index]);
        let found = verify::invariants(first, second.program(), unit, f, &plain.goals)?;
        let mut found = of_loops(&form.lowered.functions[index].annotations, found);
        for _ in 0..INVARIANT_ROUNDS {
            if found.is_empty() {
                break;
            }
            let attempt = self.prove_with(sessions, index, &found)?;
            let broken = broken(&attempt);
            if broken.is_empty() {
                let helps = open(&attempt) < open(&plain);
                return match (helps, fewest) {
                    (false, _) => Ok(plain),
                    (true, false) => Ok(attempt),
                    (true, true) => self.minimize(sessions, attempt),
                };
            }
            found = without(&found, &broken);
        }
        Ok(plain)
    }

    /// Proves the function with the invariants added.
    fn prove_with(
        &self,
        sessions: &mut Sessions,
        index: usize,
        found: &Invariants,
    ) -> Result<Attempt, String> {
        let form = self.form(&Help { invariants: found.clone(), ..Help::default() })?;
        self.prove(sessions, &form, index, found.clone())
    }

    fn prove(
        &self,
        sessions: &mut Sessions,
        form: &Form,
        index: usize,
        invariants: Invariants,
    ) -> Result<Attempt, String> {
        let (unit, f) = (&form.lowered.unit, &form.prepared[index]);
        let goals = verify::prove(&mut sessions.first, &mut sessions.second, unit, f)?;
        Ok(Attempt { index, goals, metadata: form.lowered.functions[index].clone(), invariants })
    }

    /// Removes invariants that the proofs do not need: half of them, then a quarter, and so on.
    fn minimize(&self, sessions: &mut Sessions, mut attempt: Attempt) -> Result<Attempt, String> {
        let mut n_proofs = 0;
        let count = |found: &Invariants| found.values().map(Vec::len).sum::<usize>();
        let mut size = count(&attempt.invariants).div_ceil(2);
        loop {
            let mut at = 0;
            while at < count(&attempt.invariants) && n_proofs < MINIMIZATION_PROOFS {
                n_proofs += 1;
                let all = attempt
                    .invariants
                    .iter()
                    .flat_map(|(&loop_at, holds)| (0..holds.len()).map(move |number| (loop_at, number)));
                let removed: BTreeSet<(Raw, usize)> = all.skip(at).take(size).collect();
                let fewer =
                    self.prove_with(sessions, attempt.index, &without(&attempt.invariants, &removed))?;
                if open(&fewer) <= open(&attempt) {
                    attempt = fewer;
                } else {
                    at += size;
                }
            }
            if size == 1 || n_proofs == MINIMIZATION_PROOFS {
                return Ok(attempt);
            }
            size = size.div_ceil(2);
        }
    }
}

fn open(attempt: &Attempt) -> usize {
    attempt.goals.iter().filter(|goal| goal.outcome != GoalOutcome::Proved).count()
}

/// The invariants by the loop that they annotate: the smallest one that contains all of their commands.
fn of_loops(notes: &Annotations, found: Vec<InferredInvariants>) -> Invariants {
    let mut invariants = Invariants::new();
    for InferredInvariants { locs, holds } in found {
        let holds_all = |range: &std::ops::Range<u32>| locs.iter().all(|loc| range.contains(&loc.as_u32()));
        let around = notes.loops.iter().filter(|place| holds_all(&place.locs));
        if let Some(place) = around.min_by_key(|place| place.locs.len()) {
            invariants.entry(place.at).or_default().extend(holds);
        }
    }
    invariants
}

/// The invariants that were not proved.
fn broken(attempt: &Attempt) -> BTreeSet<(Raw, usize)> {
    let is_open =
        |goal: &&ProofGoal| goal.check == Check::InvariantFound && goal.outcome != GoalOutcome::Proved;
    let locs: BTreeSet<gc::Loc> = attempt.goals.iter().filter(is_open).map(|goal| goal.loc).collect();
    let found = attempt.metadata.annotations.found.iter();
    found.filter(|(loc, ..)| locs.contains(loc)).map(|&(_, at, number)| (at, number)).collect()
}

fn without(found: &Invariants, removed: &BTreeSet<(Raw, usize)>) -> Invariants {
    let mut remaining = Invariants::new();
    for (&at, holds) in found {
        let kept = holds.iter().enumerate().filter(|(number, _)| !removed.contains(&(at, *number)));
        let kept: Vec<String> = kept.map(|(_, text)| text.clone()).collect();
        if !kept.is_empty() {
            remaining.insert(at, kept);
        }
    }
    remaining
}
