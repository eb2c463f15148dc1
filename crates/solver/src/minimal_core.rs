//! Minimal cores: contradictions that need all of their parts. Explanations show them (decision 038).

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

/// Removes one term after the other while the rest is still contradictory. The candidates must contradict each other together
/// with the assertions of the session. Earlier ones are removed first, so the terms that matter most to a reader should come
/// last; this is a preference only, because all terms outside of the solver's core are removed at the same time. The effort
/// of the budget is for all queries together, the backstop for each.
pub fn minimal_core(
    session: &mut Session,
    pool: &TermPool,
    candidates: &[Term],
    budget: Budget,
) -> MinimalCore {
    let start = session.effort();
    // A query without search costs nothing, so each query is charged one unit as well.
    let mut questions = 0;
    // A duplicate term could never be removed.
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
