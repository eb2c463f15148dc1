//! The small question before the large one: do statements that every run through an edge passes exclude each other?

use super::decide::Asker;
use super::formula::boundary_term;
use crate::edges::Boundary;
use crate::limits::{LEAST_MUST_PASS_QUESTIONS, MUST_PASS_BLOCKS};
use crate::must_pass_blocks::must_pass_options;
use cranelift_entity::EntitySet;
use gainsay_ir::passive::{Block, Function};
use gainsay_solver::Answer;
use gainsay_term::Term;
use gainsay_term::local_search::Guess;
use gainsay_vc::{Vc, encode_with};

/// How many such questions may be asked about the function.
pub(super) fn allowed_questions(function: &Function) -> usize {
    LEAST_MUST_PASS_QUESTIONS + MUST_PASS_BLOCKS / function.blocks.len().max(1)
}

impl Asker<'_, '_> {
    /// Do the must-pass blocks show that the edge is impossible?
    pub(super) fn is_impossible_by_must_pass(&mut self, edge: Block) -> bool {
        let Some(mut vc) = self.must_pass_formula(edge) else { return false };
        let Some(taken) = vc.taken[edge] else { return true };
        let run = vc.pool.and(taken, vc.ended);
        self.is_excluded(&vc, run)
    }

    /// Do the must-pass blocks show that no run comes to the edge with the boundary value?
    pub(super) fn is_boundary_excluded(&mut self, edge: Block, boundary: Boundary) -> bool {
        let Some(mut vc) = self.must_pass_formula(edge) else { return false };
        let (Some(taken), Some(condition)) = (vc.taken[edge], boundary_term(&mut vc, boundary)) else {
            return false;
        };
        let arrives = vc.pool.and(taken, condition);
        self.is_excluded(&vc, arrives)
    }

    /// The small formula, unless all questions are used up.
    fn must_pass_formula(&mut self, edge: Block) -> Option<Vc> {
        self.n_must_pass = self.n_must_pass.checked_sub(1)?;
        let mut within = EntitySet::new();
        within.extend(self.blocks_through(edge));
        Some(encode_with(self.unit, self.function, &must_pass_options(self.function, edge, within)))
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

/// Does local search find values for which the condition holds?
fn is_guessed(vc: &Vc, condition: Term) -> bool {
    let mut guess = Guess::default();
    vc.facts.iter().all(|&fact| guess.require_always(&vc.pool, fact))
        && vc.pool.conjuncts(condition).iter().all(|&part| guess.require(&vc.pool, part))
}
