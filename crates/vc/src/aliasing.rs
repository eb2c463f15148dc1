//! Alias case splits: two addresses that may be the same place (evidence-based analysis, section 5; decision 027).
//!
//! With [`super::Options::splits_places`], a load after a store that may alias it is a choice between the stored value and the
//! earlier contents. Assumption: accesses of one type are aligned, so two of them are the same place or disjoint.

use super::limits::MAX_ALIAS_CHOICES;
use super::{Encoder, Statement};
use gainsay_ir::gc::Access;
use gainsay_ir::passive::Effect;
use gainsay_ir::types::Type;
use gainsay_term::Term;
use smallvec::SmallVec;

/// A store and a later load that may access the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AliasCase {
    /// They access the same place.
    pub same: Term,
    pub store: Statement,
    pub written: Term,
    pub read: Term,
}

/// Conditions and the values that a load yields if they hold, the last store first.
pub(super) type AliasChoices = SmallVec<[(Term, Term); MAX_ALIAS_CHOICES]>;

impl Encoder<'_> {
    /// The value of the load if it aliases the store.
    pub(super) fn choice(
        &mut self,
        store: Statement,
        effect: &Effect,
        access: Access,
        addr: Term,
        others: &AliasChoices,
    ) -> Option<(Term, Term)> {
        let Effect::Store { access: written, addr: at, value } = effect else { return None };
        if !self.options.splits_places || others.len() == MAX_ALIAS_CHOICES || written.ty != access.ty {
            return None;
        }
        let (at, value) = (self.expr(*at), self.expr(*value));
        let same = self.pool.eq(at, addr);
        self.alias_cases.insert(same, AliasCase { same, store, written: at, read: addr });
        Some((same, value))
    }

    pub(super) fn among(&mut self, choices: AliasChoices, otherwise: Term) -> Term {
        choices.into_iter().rev().fold(otherwise, |rest, (same, value)| self.pool.ite(same, value, rest))
    }

    /// Equal addresses had equal contents at entry.
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
