//! From a contradiction to one that needs all of its parts: what an explanation shows.

use crate::answer::{Answer, Budget};
use crate::session::Session;
use gainsay_term::{Term, TermPool};
use std::collections::BTreeSet;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MinimalCore {
    /// In the order of the candidates.
    pub terms: Vec<Term>,
    /// Without any one of the terms there is no contradiction. False if the budget ended before that was known.
    pub is_minimal: bool,
}

/// Leaves out one term after the other as long as the rest is still contradictory. The candidates must contradict
/// each other, together with what the session was told. Earlier ones are tried first, so what a reader cares for
/// most should come last; that is a preference and no promise, because whatever else the solver did not need is
/// left out at the same time. The effort of the budget is for all questions together, the backstop for each.
pub fn minimal_core(
    session: &mut Session,
    pool: &TermPool,
    candidates: &[Term],
    budget: Budget,
) -> MinimalCore {
    let start = session.effort();
    // A question that needs no search costs nothing, so the number of questions is charged as well.
    let mut questions = 0;
    // A term that is there twice could never be left out.
    let mut seen = BTreeSet::new();
    let mut core: Vec<Term> = candidates.iter().copied().filter(|&term| seen.insert(term)).collect();
    let mut is_minimal = true;
    let mut kept = 0;
    while kept < core.len() {
        let spent = session.effort() - start + questions;
        if spent >= budget.effort {
            return MinimalCore { terms: core, is_minimal: false };
        }
        questions += 1;
        let mut rest = core.clone();
        rest.remove(kept);
        match session.check(pool, &rest, Budget { effort: budget.effort - spent, ..budget }) {
            Answer::Unsat => {
                let smaller = session.core().unwrap_or(&rest);
                // Terms known to be needed are in every core of what is left: `kept` still counts them.
                core.retain(|term| smaller.contains(term));
            }
            Answer::Sat => kept += 1,
            Answer::Unknown(_) => {
                is_minimal = false;
                kept += 1;
            }
        }
    }
    MinimalCore { terms: core, is_minimal }
}
