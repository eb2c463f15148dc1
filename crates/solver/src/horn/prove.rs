//! The portfolio: several strategies for Spacer under one budget. Every answer is checked.

use super::check::{Checked, Found, check, keep_what_holds};
use super::clauses::clauses;
use super::houdini::KnownInvariants;
use super::integers::{Mode, text};
use super::needed::needed;
use super::spacer::{Solved, solve};
use super::trim::trim;
use super::{Clause, Formula, Predicate, Reading, Readings, System};
use crate::answer::{Budget, Reason};
use crate::limits::{CHECK_CONFLICTS_PER_EFFORT, HOUDINI_CONFLICTS};
use crate::programs::Program;
use crate::session::Session;
use std::collections::BTreeMap;

/// The result of a query about an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// No run passes the edge and ends well; here is why.
    Impossible(Invariants),
    /// The Horn solver found a run. Not checked: it only means that nothing is reported.
    Possible,
    Unknown(Reason),
}

/// What holds at the points, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariants {
    pub of: BTreeMap<Predicate, Formula>,
    /// How the arguments of each point are read.
    pub readings: Vec<Vec<Reading>>,
}

struct Way {
    mode: Mode,
    options: &'static [&'static str],
    /// Of the budget, in percent.
    share: u64,
}

/// Cheap ones first: most queries are easy for one of them.
const WAYS: &[Way] = &[
    Way { mode: Mode::Exact, options: &[], share: 10 },
    Way { mode: Mode::Unbounded, options: &[], share: 10 },
    Way { mode: Mode::Exact, options: &["fp.spacer.global=true"], share: 25 },
    Way { mode: Mode::Unbounded, options: &["fp.spacer.global=true"], share: 15 },
    Way { mode: Mode::Exact, options: &[], share: 40 },
];

/// A system and what is known about it.
pub struct Prover {
    pub system: System,
    readings: Readings,
    known: Option<KnownInvariants>,
    /// What the Horn solver has cost so far.
    pub effort: u64,
    /// How many of the strategies are tried.
    pub n_ways: usize,
}

impl Prover {
    pub fn new(system: System) -> Prover {
        let readings = Readings::of(&system);
        Prover { system, readings, known: None, effort: 0, n_ways: WAYS.len() }
    }

    /// The question as SMT-LIB, for any solver of Horn clauses.
    pub fn text(&mut self, edge: usize) -> String {
        let clauses = clauses(&mut self.system, edge);
        let known = KnownInvariants::nothing(&self.system);
        text(&self.system, &clauses, &self.readings, &known, Mode::Exact)
    }

    /// The invariants that hold independently of the query.
    pub fn known(&mut self, session: &mut Session, budget: Budget) -> Invariants {
        self.find_known(session, checking(budget));
        let all = self.known.iter().flat_map(|known| known.at.iter().enumerate());
        let of =
            all.map(|(point, formulas)| (Predicate { point, passed: false }, Formula::And(formulas.clone())));
        Invariants { of: of.collect(), readings: self.readings.arguments.clone() }
    }

    fn find_known(&mut self, session: &mut Session, checking: Budget) {
        if self.known.is_none() {
            let known = KnownInvariants::find(session, &mut self.system, &self.readings, checking);
            self.known = Some(known);
        }
    }

    /// Is there a run that passes the edge and ends well? `session` checks what `spacer` finds.
    pub fn ask(&mut self, session: &mut Session, spacer: &Program, edge: usize, budget: Budget) -> Outcome {
        let checking = checking(budget);
        self.find_known(session, Budget { effort: checking.effort.min(HOUDINI_CONFLICTS), ..checking });
        let clauses = clauses(&mut self.system, edge);
        let predicates = predicates(&clauses);
        let mut why = Reason::Effort;
        let nothing: Found = predicates.iter().map(|&predicate| (predicate, Formula::Bool(true))).collect();
        if let Some(found) = self.checked(session, &clauses, nothing, checking, &mut why) {
            return Outcome::Impossible(found);
        }
        for way in WAYS.iter().take(self.n_ways) {
            let known = self.known.clone().unwrap_or_default();
            let text = text(&self.system, &clauses, &self.readings, &known, way.mode);
            let share = Budget { effort: (budget.effort * way.share / 100).max(1), ..budget };
            let (solved, cost) = solve(spacer, &self.system, &predicates, &text, way.options, share);
            self.effort += cost;
            match solved {
                Solved::Refuted if way.mode == Mode::Exact => return Outcome::Possible,
                Solved::Refuted => {}
                Solved::Unknown(reason) => {
                    if matches!(reason, Reason::Backstop | Reason::Crashed(_) | Reason::Rejected(_)) {
                        session.count_mishap();
                    }
                    why = reason;
                }
                Solved::Invariants(found) => {
                    if let Some(found) = self.checked(session, &clauses, found, checking, &mut why) {
                        return Outcome::Impossible(found);
                    }
                }
            }
        }
        Outcome::Unknown(why)
    }

    /// The invariants, with what is known, if they hold; or as much of them as holds and suffices.
    fn checked(
        &mut self,
        session: &mut Session,
        clauses: &[Clause],
        mut found: Found,
        budget: Budget,
        why: &mut Reason,
    ) -> Option<Invariants> {
        for (predicate, formula) in &mut found {
            let known = self.known.iter().flat_map(|known| &known.at[predicate.point]).cloned();
            let all = formula.conjuncts().into_iter().chain(known).collect();
            *formula = Formula::And(all);
        }
        match check(session, &mut self.system, clauses, &self.readings, &found, budget) {
            Checked::Hold => {}
            Checked::Unknown(reason) => {
                *why = reason;
                return None;
            }
            Checked::Fail => {
                *why = Reason::Incomplete("its invariants do not hold of machine integers".to_owned());
                found = keep_what_holds(session, &mut self.system, clauses, &self.readings, &found, budget)?;
                if check(session, &mut self.system, clauses, &self.readings, &found, budget) != Checked::Hold
                {
                    return None;
                }
            }
        }
        if let Some(fewer) = needed(session, &mut self.system, clauses, &self.readings, &found, budget)
            && check(session, &mut self.system, clauses, &self.readings, &fewer, budget) == Checked::Hold
        {
            found = fewer;
        }
        trim(session, &mut self.system, clauses, &self.readings, &mut found, budget);
        Some(Invariants { of: found, readings: self.readings.arguments.clone() })
    }
}

fn checking(budget: Budget) -> Budget {
    Budget { effort: budget.effort.saturating_mul(CHECK_CONFLICTS_PER_EFFORT), ..budget }
}

fn predicates(clauses: &[Clause]) -> Vec<Predicate> {
    let mut predicates: Vec<Predicate> =
        clauses.iter().flat_map(|c| c.body.into_iter().chain(c.head.iter().map(|(head, _)| *head))).collect();
    predicates.sort();
    predicates.dedup();
    predicates
}
