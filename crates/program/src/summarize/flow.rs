//! Forward data flow over a body: what holds on every path of the parameters' values at entry and of the values that are
//! returned.

use super::effects::kept;
use super::{AtCall, Body, Summarizer, is_null};
use crate::body_facts::{AbstractValue, Event, PartEnd, PointerSource};
use crate::limits::{MAX_ATOMS, MAX_CAN_FAIL, MAX_CAN_FAIL_CHAIN, MAX_CAN_FAIL_CONDITIONS, MAX_RANGE_ROUNDS};
use crate::link::FunctionId;
use crate::summary::{Atom, AtomOp, CanFail, ResultFacts};
use gainsay_ir::eval::{mask, signed};
use gainsay_ir::types::Type;
use std::collections::BTreeSet;
use std::rc::Rc;

/// What holds on all paths to a place.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FlowState {
    /// Over parameters, in order.
    atoms: Vec<Atom>,
    /// Of the other slots.
    facts: Vec<ResultFacts>,
}

/// The result of the data-flow analysis of one body.
#[derive(Default)]
pub(super) struct FlowResult {
    /// `None`: no path leads to a return.
    result: Option<ResultFacts>,
    can_fail: Vec<CanFail>,
    /// What holds where runs end other than by return.
    at_ends: Vec<Vec<Atom>>,
}

impl Summarizer<'_> {
    /// Grows from "no call returns": whatever a call returns, a finite chain of calls returned it.
    pub(super) fn find_results(&mut self, members: &[FunctionId]) {
        self.until_stable(members, |work, id, round| {
            let mut joined: Option<ResultFacts> = None;
            for body in work.definitions(id) {
                if let Some(result) = work.flow(&body).result {
                    joined = Some(joined.map_or(result, |facts| facts.join(result)));
                }
            }
            let known = &mut work.known[id];
            let before = known.has_result.then_some(known.summary.result);
            let Some(mut result) = joined else { return false };
            if round > MAX_RANGE_ROUNDS && before.is_some_and(|before| before.range != result.range) {
                result.range = None;
            }
            // A range that was given up stays given up.
            if let Some(before) = before {
                result = result.join(before);
            }
            known.has_result = true;
            known.summary.result = result;
            before != Some(result)
        });
        for &id in members {
            // Nothing is claimed of what is never returned.
            let known = &mut self.known[id];
            if !std::mem::replace(&mut known.has_result, true) {
                known.summary.result = ResultFacts::default();
            }
        }
    }

    /// Grows from nothing; there are finitely many, as each check counts once for a parameter.
    ///
    /// A function that asks whether the parameter is NULL knows about it: if it contradicts itself, that is a
    /// finding there and not in its callers.
    pub(super) fn find_can_fail(&mut self, members: &[FunctionId]) {
        self.until_stable(members, |work, id, _| {
            let mut found = work.known[id].summary.can_fail.clone();
            let before = found.len();
            for body in work.definitions(id) {
                for one in &work.flow(&body).can_fail {
                    let mut one = one.clone();
                    if one.place.0.is_empty() {
                        one.place.0.clone_from(&work.program.functions[id].name.name);
                    }
                    let is_known = |other: &CanFail| other.param == one.param && other.check == one.check;
                    let is_asked = work.known[id].summary.null_tested.contains(&one.param);
                    if !is_asked && !found.iter().any(is_known) && found.len() < MAX_CAN_FAIL {
                        found.push(one);
                    }
                }
            }
            let changed = found.len() != before;
            work.known[id].summary.can_fail = found;
            changed
        });
    }

    /// What holds, over the parameters, where runs end in error or leave.
    pub(super) fn states_at_ends(&self, body: &Body) -> Vec<Vec<Atom>> {
        self.flow(body).at_ends.clone()
    }

    fn flow(&self, body: &Body) -> Rc<FlowResult> {
        let known = self.notes.borrow().get(&body.name).and_then(|notes| notes.flow.clone());
        known.unwrap_or_else(|| {
            let found = Rc::new(self.run_flow(body));
            if !self.is_recursive {
                self.notes.borrow_mut().entry(body.name).or_default().flow = Some(found.clone());
            }
            found
        })
    }

    fn run_flow(&self, body: &Body) -> FlowResult {
        let parts = &body.body_facts.parts;
        let mut found = FlowResult::default();
        let mut states: Vec<Option<FlowState>> = vec![None; parts.len()];
        let slots = body.body_facts.slots.len() - body.body_facts.params.len();
        states[0] = Some(FlowState { atoms: Vec::new(), facts: vec![ResultFacts::default(); slots] });
        let flow = Flow { work: self, body, kept: kept(self, body) };
        // Parts are in reverse postorder.
        let mut work = BTreeSet::from([0]);
        // The state at the end of each part, and whether a run can pass that end.
        let mut after: Vec<Option<(FlowState, bool)>> = vec![None; parts.len()];
        while let Some(at) = work.pop_first() {
            let Some(mut state) = states[at].clone() else { continue };
            let goes_on = parts[at].events.iter().all(|event| flow.event(event, &mut state, &mut None));
            let (state, _) = &*after[at].insert((state, goes_on));
            for &target in parts[at].targets().iter().filter(|_| goes_on) {
                let target = target as usize;
                let joined = match &states[target] {
                    Some(before) => flow.join(before, state),
                    None => state.clone(),
                };
                if states[target].as_ref() != Some(&joined) {
                    states[target] = Some(joined);
                    work.insert(target);
                }
            }
        }
        for (part, after) in parts.iter().zip(after) {
            let Some((state, goes_on)) = after else { continue };
            match &part.end {
                PartEnd::Return(values) if goes_on => {
                    let result = flow.result(values, &state);
                    found.result = Some(found.result.map_or(result, |before| before.join(result)));
                }
                PartEnd::Goto(_) if goes_on => {}
                _ => found.at_ends.push(state.atoms),
            }
        }
        if self.suggestions {
            let mut can_fail = Some(Vec::new());
            for (part, state) in parts.iter().zip(states) {
                let Some(mut state) = state else { continue };
                part.events.iter().all(|event| flow.event(event, &mut state, &mut can_fail));
            }
            found.can_fail = can_fail.unwrap_or_default();
        }
        found
    }
}

struct Flow<'a> {
    work: &'a Summarizer<'a>,
    body: &'a Body<'a>,
    /// Pointers that may have copies elsewhere.
    kept: BTreeSet<PointerSource>,
}

impl Flow<'_> {
    /// Can a run pass the event? Checks that can fail are collected in `can_fail`.
    fn event(&self, event: &Event, state: &mut FlowState, can_fail: &mut Option<Vec<CanFail>>) -> bool {
        match event {
            Event::Assume(atom) => self.assume(*atom, state),
            Event::Check { check, fails, exact, loc } => {
                if fails.iter().any(|&atom| self.is_false(atom, state)) {
                    return true;
                }
                if let Some(found) = can_fail {
                    let bad =
                        fails.iter().find(|atom| **atom == is_null(atom.param) && self.is_param(**atom));
                    if let Some(bad) = bad {
                        let others = fails.iter().filter(|&atom| atom != bad && self.is_param(*atom));
                        let when = when(bad.param, others.chain(&state.atoms).copied());
                        let place = (String::new(), *loc);
                        found.push(CanFail {
                            param: bad.param,
                            check: *check,
                            when,
                            place,
                            through: Vec::new(),
                        });
                    }
                }
                match fails.as_slice() {
                    [atom] if *exact => self.assume(atom.negated(), state),
                    _ => true,
                }
            }
            Event::Call(call) => self.call(*call, state, can_fail),
            Event::Set(slot, values) => {
                if let Some(place) = self.place(*slot) {
                    state.facts[place] = self.join_values(values, self.body.bits(*slot), state);
                }
                true
            }
        }
    }

    fn call(&self, call: u32, state: &mut FlowState, can_fail: &mut Option<Vec<CanFail>>) -> bool {
        let callee = self.work.callee(self.body, call);
        let summary = &callee.summary;
        if let Some(found) = can_fail {
            for one in &summary.can_fail {
                found.extend(self.through(call, one, state));
            }
        }
        if callee.ends.never_returns || !callee.has_result {
            return false;
        }
        let holds = |c: &Vec<Atom>| {
            c.iter().all(|&atom| match self.body.at_call(call, atom) {
                AtCall::Is(holds) => holds,
                AtCall::Atom(atom) => self.is_false(atom.negated(), state),
                AtCall::Unknown => false,
            })
        };
        if summary.leaves_if.iter().any(holds) {
            return false;
        }
        let single = summary.leaves_if.iter().filter(|c| c.len() == 1).map(|c| c[0]);
        let nonnull = summary.params.iter().enumerate().filter(|(_, facts)| facts.nonnull);
        let bad: Vec<Atom> = single.chain(nonnull.map(|(i, _)| is_null(i as u32))).collect();
        bad.into_iter().all(|bad| match self.body.at_call(call, bad) {
            AtCall::Is(holds) => !holds,
            AtCall::Atom(atom) => self.assume(atom.negated(), state),
            AtCall::Unknown => true,
        })
    }

    /// A check of the callee that can fail because of a parameter of the caller.
    fn through(&self, call: u32, one: &CanFail, state: &FlowState) -> Option<CanFail> {
        let arg = self.body.body_facts.calls[call as usize].args.get(one.param as usize)?;
        let param = self.body.is_param(arg.value)?;
        let bad = is_null(param);
        if self.is_false(bad, state) || one.through.len() >= MAX_CAN_FAIL_CHAIN {
            return None;
        }
        let mut more = Vec::new();
        for &atom in &one.when {
            match self.body.at_call(call, atom) {
                AtCall::Is(false) => return None,
                AtCall::Atom(atom) if self.is_false(atom, state) => return None,
                AtCall::Atom(atom) if self.is_param(atom) => more.push(atom),
                AtCall::Is(true) => {}
                // Whether the callee can fail then is not known: `put(p, p ? strlen(p) : 0)`.
                AtCall::Atom(_) | AtCall::Unknown => return None,
            }
        }
        let callee = match &self.body.definition.calls[call as usize] {
            crate::link::Callees::Known(ids) => self.work.program.functions[*ids.first()?].name.name.clone(),
            crate::link::Callees::Outside | crate::link::Callees::Unknown => return None,
        };
        let when = when(param, more.into_iter().chain(state.atoms.iter().copied()));
        let through = std::iter::once(callee).chain(one.through.iter().cloned()).collect();
        Some(CanFail { param, check: one.check, when, place: one.place.clone(), through })
    }

    fn is_param(&self, atom: Atom) -> bool {
        atom.param < self.body.params()
    }

    fn place(&self, slot: u32) -> Option<usize> {
        (slot as usize).checked_sub(self.body.body_facts.params.len())
    }

    /// Is the atom known not to hold?
    fn is_false(&self, atom: Atom, state: &FlowState) -> bool {
        match self.place(atom.param) {
            None => self.body.excluded(&state.atoms, atom),
            Some(place) => {
                let facts = &state.facts[place];
                let bits = self.body.bits(atom.param);
                let by_range = || {
                    let (range, other) = (facts.range?, atom.signed_range(bits)?);
                    Some(range.1 < other.0 || other.1 < range.0)
                };
                (facts.nonnull && atom == is_null(atom.param)) || by_range().unwrap_or(false)
            }
        }
    }

    /// Restricts the state to runs on which the atom holds; false if there are none.
    fn assume(&self, atom: Atom, state: &mut FlowState) -> bool {
        if self.is_false(atom, state) {
            return false;
        }
        let Some(place) = self.place(atom.param) else {
            self.add(atom, state);
            return true;
        };
        let bits = self.body.bits(atom.param);
        let facts = &mut state.facts[place];
        if atom.op == AtomOp::Ne && atom.value == 0 {
            facts.nonnull = true;
        }
        if let Some(range) = atom.signed_range(bits) {
            let (low, high) = facts.range.unwrap_or((i128::MIN, i128::MAX));
            facts.range = Some((low.max(range.0), high.min(range.1)));
        }
        if atom == is_null(atom.param) {
            facts.fresh = true;
        }
        if let Some(param) = facts.equals {
            self.add(Atom { param, ..atom }, state);
        }
        true
    }

    fn add(&self, atom: Atom, state: &mut FlowState) {
        if self.body.implied(&state.atoms, atom) {
            return;
        }
        let bits = self.body.bits(atom.param);
        state.atoms.retain(|&other| !atom.implies(other, bits));
        if state.atoms.len() < MAX_ATOMS {
            state.atoms.push(atom);
            state.atoms.sort();
        }
    }

    /// What holds on both paths.
    fn join(&self, a: &FlowState, b: &FlowState) -> FlowState {
        let (ours, theirs) = (a.atoms.iter(), b.atoms.iter());
        let mut atoms: Vec<Atom> = ours
            .filter(|&&atom| self.body.implied(&b.atoms, atom))
            .chain(theirs.filter(|&&atom| self.body.implied(&a.atoms, atom)))
            .copied()
            .collect();
        atoms.sort();
        atoms.dedup();
        let facts = a.facts.iter().zip(&b.facts).map(|(a, b)| a.join(*b));
        FlowState { atoms, facts: facts.collect() }
    }

    fn join_values(&self, values: &[AbstractValue], bits: u16, state: &FlowState) -> ResultFacts {
        let facts = values.iter().map(|&value| self.facts(value, bits, state));
        facts.reduce(ResultFacts::join).unwrap_or_default()
    }

    /// Of a value of that many bits.
    fn facts(&self, value: AbstractValue, bits: u16, state: &FlowState) -> ResultFacts {
        let unknown = ResultFacts::default();
        match value {
            AbstractValue::Const(value) => {
                let number = signed(value, bits);
                ResultFacts {
                    nonnull: value != 0,
                    range: Some((number, number)),
                    equals: None,
                    fresh: value == 0,
                }
            }
            AbstractValue::Slot(slot) => match self.place(slot) {
                Some(place) => state.facts[place],
                None => self.param(slot, state),
            },
            AbstractValue::Call(call) => self.result_of(call, state),
            AbstractValue::Fresh(number) => {
                ResultFacts { fresh: !self.kept.contains(&PointerSource::Fresh(number)), ..unknown }
            }
            AbstractValue::Address => ResultFacts { nonnull: true, ..unknown },
            AbstractValue::Range(low, high) => {
                ResultFacts { nonnull: low > 0 || high < 0, range: Some((low, high)), ..unknown }
            }
            AbstractValue::Unknown => unknown,
        }
    }

    fn param(&self, param: u32, state: &FlowState) -> ResultFacts {
        let bits = self.body.bits(param);
        let mut range = (i128::MIN, i128::MAX);
        for atom in state.atoms.iter().filter(|atom| atom.param == param) {
            if let Some((low, high)) = atom.signed_range(bits) {
                range = (range.0.max(low), range.1.min(high));
            }
        }
        ResultFacts {
            nonnull: self.body.excluded(&state.atoms, is_null(param)),
            range: (range != (i128::MIN, i128::MAX) && range.0 <= range.1).then_some(range),
            equals: Some(param),
            fresh: self.body.implied(&state.atoms, is_null(param)),
        }
    }

    fn result_of(&self, call: u32, state: &FlowState) -> ResultFacts {
        let callee = self.work.callee(self.body, call);
        let site = &self.body.body_facts.calls[call as usize];
        let mut facts = callee.summary.result;
        facts.fresh &= !self.kept.contains(&PointerSource::Call(call));
        let arg = facts.equals.take().and_then(|param| site.args.get(param as usize));
        match arg.map(|arg| arg.value) {
            Some(value @ (AbstractValue::Slot(_) | AbstractValue::Const(_))) => {
                let same =
                    self.facts(value, arg.map_or(64, |arg| arg.ty.bits(self.body.pointer_bits)), state);
                ResultFacts {
                    nonnull: facts.nonnull || same.nonnull,
                    range: facts.range.or(same.range),
                    equals: same.equals,
                    fresh: facts.fresh || same.fresh,
                }
            }
            Some(AbstractValue::Address) => ResultFacts { nonnull: true, ..facts },
            _ => facts,
        }
    }

    /// What is known of a returned value, as callers read it.
    fn result(&self, values: &[AbstractValue], state: &FlowState) -> ResultFacts {
        let Some(ty) = self.body.body_facts.result else { return ResultFacts::default() };
        let bits = ty.bits(self.body.pointer_bits);
        let facts = self.join_values(values, bits, state);
        let is_number = matches!(ty, Type::Int(2..));
        let most = (mask(bits) >> 1) as i128;
        let range = facts.range.filter(|&(low, high)| is_number && (low > -most - 1 || high < most));
        ResultFacts {
            nonnull: ty == Type::Ptr && facts.nonnull,
            range,
            equals: facts.equals.filter(|&param| self.body.body_facts.slots[param as usize] == ty),
            fresh: ty == Type::Ptr && facts.fresh,
        }
    }
}

/// The first few atoms about other parameters.
fn when(param: u32, atoms: impl Iterator<Item = Atom>) -> Vec<Atom> {
    let mut when: Vec<Atom> = Vec::new();
    for atom in atoms.filter(|atom| atom.param != param) {
        if when.len() < MAX_CAN_FAIL_CONDITIONS && !when.contains(&atom) {
            when.push(atom);
        }
    }
    when.sort();
    when
}
