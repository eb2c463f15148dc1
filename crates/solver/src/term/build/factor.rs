//! What two conditions of a run have in common comes first: `(p and c) or (p and not c)` is `p`. Joins of a function
//! are such conditions, and without this every join would keep all that lies before it.

use crate::term::{Node, Term, TermPool};
use smallvec::SmallVec;

/// How many conjuncts are looked at.
const MANY: usize = 24;

type Terms = SmallVec<[Term; MANY]>;

impl TermPool {
    /// Is the term one of the conjuncts, as far as is looked?
    pub(super) fn has_conjunct(&self, all: Term, term: Term) -> bool {
        self.conjunctions(all, MANY / 2).contains(&term)
    }

    /// The disjunction with the common conjuncts taken out; `None` if there are none.
    pub(super) fn or_factored(&mut self, a: Term, b: Term) -> Option<Term> {
        let (of_a, of_b) = (self.conjunctions(a, MANY), self.conjunctions(b, MANY));
        let (common, only_a) = self.split(a, &of_b);
        if common.is_empty() {
            return None;
        }
        let (_, only_b) = self.split(b, &of_a);
        let common = self.all(&common);
        let (only_a, only_b) = (self.all(&only_a), self.all(&only_b));
        let either = self.or(only_a, only_b);
        Some(self.and(common, either))
    }

    /// The term and the conjunctions and conjuncts it consists of.
    fn conjunctions(&self, term: Term, many: usize) -> Terms {
        let mut found: Terms = [term].into_iter().collect();
        let mut next = 0;
        while next < found.len() && found.len() < many {
            if let Node::And(a, b) = self.node(found[next]) {
                found.push(a);
                found.push(b);
            }
            next += 1;
        }
        found
    }

    /// The conjuncts that are among the others, and the rest.
    fn split(&self, term: Term, others: &[Term]) -> (Terms, Terms) {
        let (mut common, mut rest) = (Terms::new(), Terms::new());
        let mut stack: Terms = [term].into_iter().collect();
        let mut steps = 0;
        while let Some(term) = stack.pop() {
            steps += 1;
            if others.contains(&term) {
                common.push(term);
            } else if let Node::And(a, b) = self.node(term)
                && steps < MANY
            {
                stack.push(b);
                stack.push(a);
            } else {
                rest.push(term);
            }
        }
        (common, rest)
    }
}
