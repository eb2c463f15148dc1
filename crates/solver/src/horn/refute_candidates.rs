//! Refutes candidate invariants by local search: most are wrong, and a run that violates them is found without a solver.

use super::Piece;
use crate::limits::MAX_FAILED_GUESSES;
use gainsay_term::local_search::Guess;
use gainsay_term::{Term, TermPool};
use std::collections::BTreeSet;

/// A point that a piece leads to.
pub(super) struct Arrival {
    pub(super) at: usize,
    pub(super) when: Term,
    /// What may hold there, after the piece.
    pub(super) candidates: Vec<Term>,
}

pub(super) struct Shaken {
    guess: Guess,
}

impl Shaken {
    pub(super) fn new(piece: &Piece) -> Shaken {
        let mut guess = Guess::default();
        for &fact in &piece.facts {
            guess.require_always(&piece.pool, fact);
        }
        Shaken { guess }
    }

    /// For one of the arrivals, the point and which candidates do not hold after some run from a state where `before`
    /// holds; `None` if no such run is found.
    pub(super) fn lost(
        &mut self,
        pool: &mut TermPool,
        before: &[Term],
        arrivals: &[Arrival],
    ) -> Option<Vec<(usize, Vec<bool>)>> {
        let start = self.guess.mark();
        let unchanged: BTreeSet<Term> = before.iter().copied().collect();
        for arrival in arrivals {
            let can_be = self.guess.require(pool, arrival.when)
                && before.iter().all(|&holds| self.guess.require(pool, holds));
            if can_be && self.break_one(pool, &unchanged, &arrival.candidates) {
                let lost = arrival.candidates.iter().map(|&term| self.guess.is_false(pool, term)).collect();
                self.guess.back_to(start);
                return Some(vec![(arrival.at, lost)]);
            }
            self.guess.back_to(start);
        }
        None
    }

    /// Makes one of the candidates false; those that are true before are true after.
    fn break_one(&mut self, pool: &mut TermPool, before: &BTreeSet<Term>, candidates: &[Term]) -> bool {
        let open = candidates.iter().filter(|&candidate| !before.contains(candidate));
        if open.clone().any(|&candidate| self.guess.is_false(pool, candidate)) {
            return true;
        }
        let mut tried = open.take(MAX_FAILED_GUESSES);
        tried.any(|&candidate| {
            let broken = pool.not(candidate);
            self.guess.require(pool, broken)
        })
    }
}
