//! How runs of a function end.

use super::{Body, Summarizer};
use crate::body_facts::{Event, Part, PartEnd};
use crate::link::FunctionId;
use crate::summary::Returns;
use std::rc::Rc;

/// Facts that hold for every run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ends {
    /// No path leads to a return.
    pub(super) never_returns: bool,
    /// If a run ends without error, it ends in return.
    pub(super) never_leaves: bool,
    /// Every run ends in error.
    pub(super) fails: bool,
}

impl Ends {
    pub(super) fn join(self, other: Ends) -> Ends {
        Ends {
            never_returns: self.never_returns && other.never_returns,
            never_leaves: self.never_leaves && other.never_leaves,
            fails: self.fails && other.fails,
        }
    }
}

/// A part that a run can come to.
struct Reached {
    part: usize,
    how: How,
    /// A call that may exit is made in it.
    leaves: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    /// In a callee that does not return, and does not always fail.
    Stops,
    Return,
    Raise,
    Error,
    GoesOn,
}

impl Summarizer<'_> {
    pub(super) fn find_ends(&mut self, members: &[FunctionId]) {
        self.until_stable(members, |work, id, _| {
            let returns = |body: &Body| work.reached(body).iter().any(|one| one.how == How::Return);
            let never = !work.definitions(id).any(|body| returns(&body));
            never && !std::mem::replace(&mut work.known[id].ends.never_returns, true)
        });
        // Recursion alone leads nowhere, so this set shrinks from everything instead of growing from nothing.
        for &id in members {
            self.known[id].ends.never_leaves = true;
        }
        self.until_stable(members, |work, id, _| {
            let leaves = work.definitions(id).any(|body| work.may_leave(&body));
            leaves && std::mem::replace(&mut work.known[id].ends.never_leaves, false)
        });
        self.until_stable(members, |work, id, _| {
            let ends = work.known[id].ends;
            let fails = ends.never_returns
                && ends.never_leaves
                && work.definitions(id).all(|body| work.ends_in_error(&body));
            fails && !std::mem::replace(&mut work.known[id].ends.fails, true)
        });
        for &id in members {
            let known = &mut self.known[id];
            known.summary.returns = match known.ends {
                Ends { never_returns: true, fails, .. } => Returns::Never { in_error: fails },
                Ends { never_leaves: true, .. } => Returns::Surely,
                _ => Returns::Maybe,
            };
        }
    }

    /// The calls on paths that lead to a return. No caller sees the effects of other calls.
    pub(super) fn seen_calls(&self, body: &Body) -> Rc<[bool]> {
        let mut notes = self.notes.borrow_mut();
        let seen = &mut notes.entry(body.name).or_default().seen_calls;
        seen.get_or_insert_with(|| self.find_seen_calls(body).into()).clone()
    }

    fn find_seen_calls(&self, body: &Body) -> Vec<bool> {
        let reached = self.reached(body);
        let leads = leading_to(body, &reached, |one| one.how == How::Return);
        let mut seen = vec![false; body.body_facts.calls.len()];
        for part in reached.iter().map(|one| one.part).filter(|&part| leads[part]) {
            for event in &body.body_facts.parts[part].events {
                if let Event::Call(call) = *event {
                    seen[call as usize] = true;
                }
            }
        }
        seen
    }

    fn may_leave(&self, body: &Body) -> bool {
        let reached = self.reached(body);
        // An endless loop may be intended.
        reached.iter().any(|one| one.leaves || one.how == How::Raise)
            || !all_lead_to(body, &reached, |one| one.how != How::GoesOn)
    }

    fn ends_in_error(&self, body: &Body) -> bool {
        all_lead_to(body, &self.reached(body), |one| one.how == How::Error)
    }

    fn reached(&self, body: &Body) -> Vec<Reached> {
        let parts = &body.body_facts.parts;
        let mut seen = vec![false; parts.len()];
        let mut reached = Vec::new();
        let mut work = vec![0];
        while let Some(at) = work.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            let one = self.reach(body, at, &parts[at]);
            if one.how == How::GoesOn {
                work.extend(parts[at].targets().iter().map(|&target| target as usize));
            }
            reached.push(one);
        }
        reached
    }

    fn reach(&self, body: &Body, at: usize, part: &Part) -> Reached {
        let mut leaves = false;
        for event in &part.events {
            if let Event::Call(call) = *event {
                let ends = self.callee(body, call).ends;
                leaves |= !ends.never_leaves && !body.body_facts.calls[call as usize].returns;
                if ends.never_returns {
                    return Reached {
                        part: at,
                        how: if ends.fails { How::Error } else { How::Stops },
                        leaves,
                    };
                }
            }
        }
        let how = match part.end {
            PartEnd::Goto(_) => How::GoesOn,
            PartEnd::Return(_) => How::Return,
            PartEnd::Raise => How::Raise,
            PartEnd::Error => How::Error,
        };
        Reached { part: at, how, leaves }
    }
}

/// Does a path lead from each of the parts to one of the wanted kind?
fn all_lead_to(body: &Body, reached: &[Reached], is_wanted: impl Fn(&Reached) -> bool) -> bool {
    let leads = leading_to(body, reached, is_wanted);
    reached.iter().all(|one| leads[one.part])
}

/// The parts from which a path leads to one of the wanted kind.
fn leading_to(body: &Body, reached: &[Reached], is_wanted: impl Fn(&Reached) -> bool) -> Vec<bool> {
    let parts = &body.body_facts.parts;
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); parts.len()];
    let mut work = Vec::new();
    for one in reached {
        if is_wanted(one) {
            work.push(one.part);
        } else if one.how == How::GoesOn {
            parts[one.part].targets().iter().for_each(|&target| before[target as usize].push(one.part));
        }
    }
    let mut leads = vec![false; parts.len()];
    while let Some(part) = work.pop() {
        if !std::mem::replace(&mut leads[part], true) {
            work.extend(&before[part]);
        }
    }
    leads
}
