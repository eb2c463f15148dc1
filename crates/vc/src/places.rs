//! Two addresses that may be one place: the case split of pointer analysis (papers/evidence-based-analysis, section 5).
//!
//! With [`super::Options::splits_places`], a load behind a store that may have met it is a choice between what was stored
//! and what was there before. Relied on: accesses of one type are aligned, so two of them are the same place or apart.

use super::{Encoder, Statement};
use gainsay_ir::gc::Access;
use gainsay_ir::passive::Effect;
use gainsay_ir::types::Type;
use gainsay_term::Term;
use smallvec::SmallVec;

/// Stores that one load looks through; every one of them makes the term larger.
const MOST_CHOICES: usize = 3;

/// Where a store and a later load may meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// They do.
    pub same: Term,
    pub store: Statement,
    pub written: Term,
    pub read: Term,
}

/// What a load finds if the condition holds, the last store first.
pub(super) type Choices = SmallVec<[(Term, Term); MOST_CHOICES]>;

impl Encoder<'_> {
    /// What the load finds if it meets the store.
    pub(super) fn choice(
        &mut self,
        store: Statement,
        effect: &Effect,
        access: Access,
        addr: Term,
        others: &Choices,
    ) -> Option<(Term, Term)> {
        let Effect::Store { access: written, addr: at, value } = effect else { return None };
        if !self.options.splits_places || others.len() == MOST_CHOICES || written.ty != access.ty {
            return None;
        }
        let (at, value) = (self.expr(*at), self.expr(*value));
        let same = self.pool.eq(at, addr);
        self.places.insert(same, Meeting { same, store, written: at, read: addr });
        Some((same, value))
    }

    pub(super) fn among(&mut self, choices: Choices, otherwise: Term) -> Term {
        choices.into_iter().rev().fold(otherwise, |rest, (same, value)| self.pool.ite(same, value, rest))
    }

    /// What two places held when the function began is the same if they are one.
    pub(super) fn same_contents(&mut self, values: &[Term]) -> Vec<Term> {
        let is_input =
            |memory| self.function.vars[memory].definition == gainsay_ir::passive::Definition::Entry;
        let mut inputs: Vec<(Term, Type, Term)> = self
            .contents
            .iter()
            .filter(|((memory, _, _), value)| is_input(*memory) && values.contains(value))
            .map(|(&(_, addr, ty), &value)| (addr, ty, value))
            .collect();
        inputs.sort_by_key(|&(addr, _, value)| (addr, value));
        let mut facts = Vec::new();
        for (i, &(a, a_type, a_value)) in inputs.iter().enumerate() {
            for &(b, b_type, b_value) in &inputs[..i] {
                if a_type == b_type {
                    let (same, equal) = (self.pool.eq(a, b), self.pool.eq(a_value, b_value));
                    facts.push(self.pool.implies(same, equal));
                }
            }
        }
        facts
    }
}
