//! Arguments with which every run of a function fails, or at least does not return.
//!
//! Each candidate condition costs one walk over the parts that runs with such arguments can reach.

use super::{Body, Summarizer, is_null};
use crate::body_facts::{AbstractValue, Event, PartEnd};
use crate::limits::{MAX_CONDITIONS, MAX_CONJUNCTION, MAX_LEAVES_IF};
use crate::link::{Callees, FunctionId};
use crate::summary::{Atom, Returns};
use gainsay_ir::types::Type;

/// How runs under a condition can end.
struct WalkEnds {
    returns: bool,
    /// They may also exit, or never end.
    leaves: bool,
    /// There is an error in the function itself or in a callee outside the component.
    fails: bool,
}

enum Step {
    /// No run passes this.
    Blocked,
    Error {
        own: bool,
    },
    /// A call that never returns.
    Stops,
    GoesOn,
}

impl Summarizer<'_> {
    /// Shrinks from all pointers: a call that returned made only calls that returned.
    pub(super) fn find_nonnull(&mut self, members: &[FunctionId]) {
        for &id in members {
            let known = &mut self.known[id];
            // For functions that never return, `returns` suffices; an assertion before the call would hide the end.
            let is_candidate = !matches!(known.summary.returns, Returns::Never { .. });
            known.summary.params.iter_mut().for_each(|facts| facts.nonnull = is_candidate);
        }
        let component = if self.is_recursive { members } else { &[] };
        self.until_stable(members, |work, id, _| {
            let mut changed = false;
            for i in 0..work.known[id].summary.params.len() {
                if !work.known[id].summary.params[i].nonnull {
                    continue;
                }
                let fails = |body: Body| {
                    let is_pointer = body.body_facts.params.get(i).is_some_and(|param| param.1 == Type::Ptr);
                    is_pointer && {
                        let ends = work.walk(&body, &[is_null(i as u32)], component);
                        !ends.returns && !ends.leaves && ends.fails
                    }
                };
                if !work.definitions(id).all(fails) {
                    work.known[id].summary.params[i].nonnull = false;
                    changed = true;
                }
            }
            changed
        });
    }

    /// Grows from the empty set, so each condition depends only on conditions that were shown before.
    pub(super) fn find_leaves_if(&mut self, members: &[FunctionId]) {
        self.until_stable(members, |work, id, _| {
            let known = &work.known[id];
            if matches!(known.summary.returns, Returns::Never { .. }) {
                return false;
            }
            let mut found = known.summary.leaves_if.clone();
            let mut candidates: Vec<Vec<Atom>> = Vec::new();
            for body in work.definitions(id) {
                work.conditions(&body, &mut candidates);
            }
            for condition in candidates {
                let is_known = found.iter().any(|known| work.says(id, &condition, known))
                    || condition.iter().any(|atom| {
                        *atom == is_null(atom.param)
                            && work.known[id].summary.param(atom.param as usize).nonnull
                    });
                if !is_known
                    && found.len() < MAX_LEAVES_IF
                    && work.definitions(id).all(|body| !work.walk(&body, &condition, &[]).returns)
                {
                    found.retain(|known| !work.says(id, known, &condition));
                    found.push(condition);
                }
            }
            found.sort();
            let changed = found != work.known[id].summary.leaves_if;
            work.known[id].summary.leaves_if = found;
            changed
        });
    }

    /// Does the one condition imply the other?
    fn says(&self, id: FunctionId, condition: &[Atom], other: &[Atom]) -> bool {
        self.definitions(id).all(|body| other.iter().all(|&atom| body.implied(condition, atom)))
    }

    /// Candidates: conditions on the arguments that the function branches on or checks.
    fn conditions(&self, body: &Body, found: &mut Vec<Vec<Atom>>) {
        let mut atoms: Vec<Atom> = Vec::new();
        for event in body.body_facts.parts.iter().flat_map(|part| &part.events) {
            match event {
                Event::Assume(atom) => atoms.push(*atom),
                Event::Check { fails, exact: true, .. } => {
                    if let [atom] = fails.as_slice() {
                        atoms.push(*atom);
                    }
                }
                Event::Check { .. } | Event::Set(..) => {}
                Event::Call(call) => {
                    let callee = self.callee(body, *call);
                    let mut add = |atom: Atom| {
                        if let super::AtCall::Atom(atom) = body.at_call(*call, atom) {
                            atoms.push(atom);
                        }
                    };
                    callee.summary.leaves_if.iter().filter(|c| c.len() == 1).for_each(|c| add(c[0]));
                    let nonnull = callee.summary.params.iter().enumerate().filter(|(_, facts)| facts.nonnull);
                    nonnull.for_each(|(i, _)| add(is_null(i as u32)));
                }
            }
        }
        atoms.retain(|atom| atom.param < body.params());
        let mut seen: Vec<Atom> = Vec::new();
        for atom in atoms.into_iter().flat_map(|atom| [atom, atom.negated()]) {
            if !seen.contains(&atom) && seen.len() < 2 * MAX_CONDITIONS {
                seen.push(atom);
            }
        }
        found.extend(seen.into_iter().map(|atom| vec![atom]));
        for state in self.states_at_ends(body) {
            if (2..=MAX_CONJUNCTION).contains(&state.len())
                && found.len() < 3 * MAX_CONDITIONS
                && !found.contains(&state)
            {
                found.push(state);
            }
        }
    }

    /// `component`: functions whose facts are still assumptions.
    fn walk(&self, body: &Body, condition: &[Atom], component: &[FunctionId]) -> WalkEnds {
        let parts = &body.body_facts.parts;
        let mut ends = WalkEnds { returns: false, leaves: false, fails: false };
        let mut seen = vec![false; parts.len()];
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); parts.len()];
        let (mut work, mut going_on, mut ended) = (vec![0], Vec::new(), Vec::new());
        while let Some(at) = work.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            match self.step(body, at, condition, component, &mut ends.leaves) {
                Step::Blocked => {}
                Step::Error { own } => {
                    ends.fails |= own;
                    ended.push(at);
                }
                Step::Stops => ended.push(at),
                Step::GoesOn => match &parts[at].end {
                    PartEnd::Goto(targets) => {
                        going_on.push(at);
                        for &target in targets {
                            before[target as usize].push(at);
                            work.push(target as usize);
                        }
                    }
                    PartEnd::Return(_) => ends.returns = true,
                    PartEnd::Raise => ends.leaves = true,
                    PartEnd::Error => {
                        ends.fails = true;
                        ended.push(at);
                    }
                },
            }
            if ends.returns {
                return ends;
            }
        }
        // An endless loop may be intended.
        let mut leads = vec![false; parts.len()];
        while let Some(at) = ended.pop() {
            if !std::mem::replace(&mut leads[at], true) {
                ended.extend(&before[at]);
            }
        }
        ends.leaves |= going_on.iter().any(|&at| !leads[at]);
        ends
    }

    fn step(
        &self,
        body: &Body,
        at: usize,
        condition: &[Atom],
        component: &[FunctionId],
        leaves: &mut bool,
    ) -> Step {
        for event in &body.body_facts.parts[at].events {
            match event {
                Event::Assume(atom) if atom.param < body.params() && body.excluded(condition, *atom) => {
                    return Step::Blocked;
                }
                Event::Check { fails, exact: true, .. } => {
                    let is_sure = |atom: &Atom| atom.param < body.params() && body.implied(condition, *atom);
                    if fails.iter().all(is_sure) {
                        return Step::Error { own: true };
                    }
                }
                Event::Call(call) => {
                    let callee = self.callee(body, *call);
                    let summary = &callee.summary;
                    let is_fatal = |(i, facts): (usize, &crate::summary::ParamFacts)| {
                        facts.nonnull && body.holds_at_call(*call, &[is_null(i as u32)], condition)
                    };
                    if summary.params.iter().enumerate().any(is_fatal) {
                        let own = match &body.definition.calls[*call as usize] {
                            Callees::Known(ids) => !ids.iter().any(|id| component.contains(id)),
                            Callees::Outside | Callees::Unknown => true,
                        };
                        return Step::Error { own };
                    }
                    if callee.ends.fails {
                        return Step::Error { own: true };
                    }
                    *leaves |= !callee.ends.never_leaves && !body.body_facts.calls[*call as usize].returns;
                    let stops = |c: &Vec<Atom>| body.holds_at_call(*call, c, condition);
                    if callee.ends.never_returns || summary.leaves_if.iter().any(stops) {
                        // Without an end in error it may never end.
                        *leaves = true;
                        return Step::Stops;
                    }
                }
                Event::Assume(_) | Event::Check { .. } | Event::Set(..) => {}
            }
        }
        Step::GoesOn
    }
}

impl Body<'_> {
    /// A slot that is a parameter's value at entry.
    pub(super) fn is_param(&self, value: AbstractValue) -> Option<u32> {
        match value {
            AbstractValue::Slot(slot) if slot < self.params() => Some(slot),
            _ => None,
        }
    }
}
