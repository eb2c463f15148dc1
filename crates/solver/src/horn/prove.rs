//! The portfolio: several ways to ask Spacer under one budget, each answer checked before it counts.

use super::check::{Checked, Found, check, keep_what_holds};
use super::clauses::clauses;
use super::integers::{Mode, text};
use super::spacer::{Solved, solve};
use super::trim::trim;
use super::{Clause, Formula, Predicate, Reading, Readings, System};
use crate::answer::{Budget, Reason};
use crate::programs::Program;
use crate::session::Session;
use std::collections::BTreeMap;

/// What comes of a question about an edge.
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

/// Cheap ones first: most questions are easy, in one way or another.
const WAYS: &[Way] = &[
    Way { mode: Mode::Exact, options: &[], share: 15 },
    Way { mode: Mode::Unbounded, options: &[], share: 15 },
    Way { mode: Mode::Exact, options: &["fp.spacer.global=true"], share: 20 },
    Way { mode: Mode::Unbounded, options: &["fp.spacer.global=true"], share: 15 },
    Way { mode: Mode::Exact, options: &[], share: 35 },
];

/// What one question of the check may cost, in percent of the budget.
const SHARE_OF_CHECK: u64 = 10;

/// Is there a run that passes the edge and ends well?
pub fn prove(
    session: &mut Session,
    spacer: &Program,
    system: &mut System,
    edge: usize,
    budget: Budget,
) -> Outcome {
    let clauses = clauses(system, edge);
    let readings = Readings::of(system, &clauses);
    let predicates = predicates(&clauses);
    let trivial: Found = predicates.iter().map(|&predicate| (predicate, Formula::Bool(true))).collect();
    let checking = Budget { effort: (budget.effort * SHARE_OF_CHECK / 100).max(1), ..budget };
    if check(session, system, &clauses, &readings, &trivial, checking) == Checked::Hold {
        return Outcome::Impossible(Invariants { of: trivial, readings: readings.arguments });
    }
    let mut why = Reason::Effort;
    for way in WAYS {
        let text = text(system, &clauses, &readings, way.mode);
        let share = Budget { effort: (budget.effort * way.share / 100).max(1), ..budget };
        let (solved, _) = solve(spacer, system, &predicates, &text, way.options, share);
        match solved {
            Solved::Refuted if way.mode == Mode::Exact => return Outcome::Possible,
            Solved::Refuted => {}
            Solved::Unknown(reason) => why = reason,
            Solved::Invariants(found) => {
                if let Some(mut found) =
                    checked(session, system, &clauses, &readings, found, checking, &mut why)
                {
                    trim(session, system, &clauses, &readings, &mut found, checking);
                    return Outcome::Impossible(Invariants { of: found, readings: readings.arguments });
                }
            }
        }
    }
    Outcome::Unknown(why)
}

/// The invariants if they hold, or as much of them as holds and suffices.
fn checked(
    session: &mut Session,
    system: &mut System,
    clauses: &[Clause],
    readings: &Readings,
    found: Found,
    budget: Budget,
    why: &mut Reason,
) -> Option<Found> {
    match check(session, system, clauses, readings, &found, budget) {
        Checked::Hold => return Some(found),
        Checked::Fail => {
            *why = Reason::Incomplete("its invariants do not hold of machine integers".to_owned());
        }
        Checked::Unknown(reason) => {
            *why = reason;
            return None;
        }
    }
    let weaker = keep_what_holds(session, system, clauses, readings, &found, budget)?;
    (check(session, system, clauses, readings, &weaker, budget) == Checked::Hold).then_some(weaker)
}

fn predicates(clauses: &[Clause]) -> Vec<Predicate> {
    let mut predicates: Vec<Predicate> =
        clauses.iter().flat_map(|c| c.body.into_iter().chain(c.head.iter().map(|(head, _)| *head))).collect();
    predicates.sort();
    predicates.dedup();
    predicates
}
