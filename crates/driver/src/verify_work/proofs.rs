//! Proofs of the functions of a unit: first with what is written, then with invariants that are found for what is open.
//! Those are lowered like annotations and proved with the rest; what does not hold is dropped.

use crate::worker_state::Sessions;
use gainsay_analysis::guard::guard;
use gainsay_analysis::verify::{self, Goal, GoalOutcome, OfLoop};
use gainsay_frontend::clang::ast;
use gainsay_frontend::lower::{Annotations, FunctionMetadata, Help, Lowered, Options, Purpose, lower_with};
use gainsay_ir::check::Check;
use gainsay_ir::gc;
use gainsay_ir::source_map::Raw;
use gainsay_program::link::UnitImports;
use gainsay_program::models::Models;
use std::collections::{BTreeMap, BTreeSet};

/// How often invariants that do not hold are dropped.
const MOST_ROUNDS: u32 = 4;

/// How many proofs the search for the fewest invariants may cost.
const MOST_TRIES: u32 = 60;

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

/// What came of the asserts of a function.
pub(super) struct Attempt {
    pub(super) index: usize,
    pub(super) goals: Vec<Goal>,
    /// Where the goals are.
    pub(super) beside: FunctionMetadata,
    /// What nobody wrote and was used, by where the loop begins.
    pub(super) invariants: Invariants,
}

impl Attempt {
    pub(super) fn is_proved(&self) -> bool {
        self.goals.iter().all(|goal| goal.outcome == GoalOutcome::Proved)
    }
}

/// What all proofs of a unit have in common.
pub(super) struct Proofs<'a> {
    pub(super) ast: &'a ast::Unit,
    pub(super) models: &'a Models,
    /// The unit that `known` counts the symbols of.
    pub(super) surveyed: gc::Unit,
    pub(super) known: UnitImports,
}

impl Proofs<'_> {
    /// The unit with what is known of callees.
    pub(super) fn form(&self, help: &Help) -> Result<Form, String> {
        let mut form = Form::new(self.ast, self.models, Purpose::Prove, help)?;
        let known = self.known_to(&form.lowered.unit);
        guard(|| {
            form.prepared =
                gainsay_program::prepare::with_callees(&mut form.lowered.unit, form.prepared, &known);
            form
        })
        .map_err(|panic| format!("internal error while applying summaries: {panic}"))
    }

    /// Symbols are numbered as they are met, and annotations mention some before the code does. So are static ones of one name
    /// (`x`, `x.1`): what is known of those is left out.
    fn known_to(&self, unit: &gc::Unit) -> UnitImports {
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
        let functions = self.known.callee_summaries.iter();
        UnitImports {
            callee_summaries: functions.filter_map(|(old, of)| Some((number(old)?, of.clone()))).collect(),
            hidden_objects: self.known.hidden_objects.iter().filter_map(number).collect(),
            ..self.known.clone()
        }
    }

    pub(super) fn attempt(
        &self,
        sessions: &mut Sessions,
        form: &Form,
        index: usize,
        fewest: bool,
    ) -> Result<Attempt, String> {
        let plain = self.proved(sessions, form, index, Invariants::new())?;
        if plain.is_proved() {
            return Ok(plain);
        }
        let Sessions { first, second } = sessions;
        let (unit, f) = (&form.lowered.unit, &form.prepared[index]);
        let found = verify::invariants(first, second.program(), unit, f, &plain.goals)?;
        let mut found = of_loops(&form.lowered.functions[index].annotations, found);
        for _ in 0..MOST_ROUNDS {
            if found.is_empty() {
                break;
            }
            let attempt = self.with(sessions, index, &found)?;
            let broken = broken(&attempt);
            if broken.is_empty() {
                let helps = open(&attempt) < open(&plain);
                return match (helps, fewest) {
                    (false, _) => Ok(plain),
                    (true, false) => Ok(attempt),
                    (true, true) => self.fewest(sessions, attempt),
                };
            }
            found = without(&found, &broken);
        }
        Ok(plain)
    }

    /// The same with the invariants.
    fn with(&self, sessions: &mut Sessions, index: usize, found: &Invariants) -> Result<Attempt, String> {
        let form = self.form(&Help { invariants: found.clone(), ..Help::default() })?;
        self.proved(sessions, &form, index, found.clone())
    }

    fn proved(
        &self,
        sessions: &mut Sessions,
        form: &Form,
        index: usize,
        invariants: Invariants,
    ) -> Result<Attempt, String> {
        let (unit, f) = (&form.lowered.unit, &form.prepared[index]);
        let goals = verify::prove(&mut sessions.first, &mut sessions.second, unit, f)?;
        Ok(Attempt { index, goals, beside: form.lowered.functions[index].clone(), invariants })
    }

    /// Leaves out what the proofs do not need: half of what is left, a quarter and so on.
    fn fewest(&self, sessions: &mut Sessions, mut attempt: Attempt) -> Result<Attempt, String> {
        let mut tries = 0;
        let count = |found: &Invariants| found.values().map(Vec::len).sum::<usize>();
        let mut size = count(&attempt.invariants).div_ceil(2);
        loop {
            let mut at = 0;
            while at < count(&attempt.invariants) && tries < MOST_TRIES {
                tries += 1;
                let all = attempt
                    .invariants
                    .iter()
                    .flat_map(|(&loop_at, holds)| (0..holds.len()).map(move |number| (loop_at, number)));
                let left_out: BTreeSet<(Raw, usize)> = all.skip(at).take(size).collect();
                let fewer = self.with(sessions, attempt.index, &without(&attempt.invariants, &left_out))?;
                if open(&fewer) <= open(&attempt) {
                    attempt = fewer;
                } else {
                    at += size;
                }
            }
            if size == 1 || tries == MOST_TRIES {
                return Ok(attempt);
            }
            size = size.div_ceil(2);
        }
    }
}

fn open(attempt: &Attempt) -> usize {
    attempt.goals.iter().filter(|goal| goal.outcome != GoalOutcome::Proved).count()
}

/// What was found, by the loops that can be annotated: each of the smallest that holds all of its commands.
fn of_loops(notes: &Annotations, found: Vec<OfLoop>) -> Invariants {
    let mut invariants = Invariants::new();
    for OfLoop { locs, holds } in found {
        let holds_all = |range: &std::ops::Range<u32>| locs.iter().all(|loc| range.contains(&loc.as_u32()));
        let around = notes.loops.iter().filter(|place| holds_all(&place.locs));
        if let Some(place) = around.min_by_key(|place| place.locs.len()) {
            invariants.entry(place.at).or_default().extend(holds);
        }
    }
    invariants
}

/// The invariants that do not hold, or of which it is not known.
fn broken(attempt: &Attempt) -> BTreeSet<(Raw, usize)> {
    let is_open = |goal: &&Goal| goal.check == Check::InvariantFound && goal.outcome != GoalOutcome::Proved;
    let locs: BTreeSet<gc::Loc> = attempt.goals.iter().filter(is_open).map(|goal| goal.loc).collect();
    let found = attempt.beside.annotations.found.iter();
    found.filter(|(loc, ..)| locs.contains(loc)).map(|&(_, at, number)| (at, number)).collect()
}

fn without(found: &Invariants, gone: &BTreeSet<(Raw, usize)>) -> Invariants {
    let mut left = Invariants::new();
    for (&at, holds) in found {
        let kept = holds.iter().enumerate().filter(|(number, _)| !gone.contains(&(at, *number)));
        let kept: Vec<String> = kept.map(|(_, text)| text.clone()).collect();
        if !kept.is_empty() {
            left.insert(at, kept);
        }
    }
    left
}
