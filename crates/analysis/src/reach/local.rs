//! The small question before the large one: do statements that every run through an edge passes exclude each other?

use super::{Asker, boundary_term};
use crate::edges::Boundary;
use crate::limits::{LEAST_MUST_PASS_QUESTIONS, MUST_PASS_BLOCKS};
use crate::must_pass_blocks::options_of_spine;
use cranelift_entity::EntitySet;
use gainsay_ir::passive::{Block, Function};
use gainsay_solver::Answer;
use gainsay_term::Term;
use gainsay_term::local_search::Guess;
use gainsay_vc::{Vc, encode_with};

pub(super) fn how_many(function: &Function) -> usize {
    LEAST_MUST_PASS_QUESTIONS + MUST_PASS_BLOCKS / function.blocks.len().max(1)
}

impl Asker<'_, '_> {
    /// Is the edge impossible, as its spine shows?
    pub(super) fn is_locally_impossible(&mut self, edge: Block) -> bool {
        let Some(mut vc) = self.local(edge) else { return false };
        let Some(taken) = vc.taken[edge] else { return true };
        let run = vc.pool.and(taken, vc.ended);
        self.is_excluded(&vc, run)
    }

    /// Can the boundary value not even come to the edge, as its spine shows?
    pub(super) fn comes_locally_not(&mut self, edge: Block, boundary: Boundary) -> bool {
        let Some(mut vc) = self.local(edge) else { return false };
        let (Some(taken), Some(condition)) = (vc.taken[edge], boundary_term(&mut vc, boundary)) else {
            return false;
        };
        let comes = vc.pool.and(taken, condition);
        self.is_excluded(&vc, comes)
    }

    /// The small formula, if it is worth the while.
    fn local(&mut self, edge: Block) -> Option<Vc> {
        self.n_local = self.n_local.checked_sub(1)?;
        let mut within = EntitySet::new();
        within.extend(self.blocks_through(edge));
        Some(encode_with(self.unit, self.function, &options_of_spine(self.function, edge, within)))
    }

    fn is_excluded(&mut self, vc: &Vc, condition: Term) -> bool {
        if let Some(known) = vc.pool.as_bool(condition) {
            return !known;
        }
        if is_guessed(vc, condition) || self.is_spent() {
            return false;
        }
        self.session.reset();
        vc.facts.iter().for_each(|&fact| self.session.assert(&vc.pool, fact));
        self.check(vc, &[condition]) == Answer::Unsat
    }
}

/// Are values found quickly for which the condition holds?
fn is_guessed(vc: &Vc, condition: Term) -> bool {
    let mut guess = Guess::default();
    vc.facts.iter().all(|&fact| guess.require_always(&vc.pool, fact))
        && vc.pool.conjuncts(condition).iter().all(|&part| guess.require(&vc.pool, part))
}
