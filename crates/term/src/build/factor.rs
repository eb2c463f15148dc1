//! Factors common conjuncts out of disjunctions: `(p and c) or (p and not c)` is `p`. Joins of a function are such conditions;
//! without this, the condition of every join would contain everything before it.

use crate::limits::MAX_CONJUNCTS;
use crate::{Node, Term, TermPool};
use smallvec::SmallVec;

type Terms = SmallVec<[Term; MAX_CONJUNCTS]>;

impl TermPool {
    /// Is the term one of the first conjuncts?
    pub(super) fn has_conjunct(&self, all: Term, term: Term) -> bool {
        self.conjunctions(all, MAX_CONJUNCTS / 2).contains(&term)
    }

    /// The disjunction with the common conjuncts taken out; `None` if there are none.
    pub(super) fn or_factored(&mut self, a: Term, b: Term) -> Option<Term> {
        let of_b = self.conjunctions(b, MAX_CONJUNCTS);
        let (common, only_a) = self.split(a, &of_b);
        if common.is_empty() {
            return None;
        }
        // Not more than was taken out of the other: neither look goes to the end of a long conjunction.
        let (_, only_b) = self.split(b, &common);
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
                && steps < MAX_CONJUNCTS
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

#[cfg(test)]
mod tests {
    use crate::eval::{Assignment, eval};
    use crate::{Sort, Term, TermPool, Value};

    /// Conjunctions longer than the limit, nested in all shapes as in a long function.
    #[test]
    fn nothing_is_taken_out_of_one_side_only() {
        let mut pool = TermPool::default();
        let vars: Vec<Term> = (0..80).map(|i| pool.var(&format!("v{i}"), Sort::Bool)).collect();
        let mut state = 1u64;
        let mut random = |n: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % n
        };
        let mut terms = vars.clone();
        for _ in 0..400 {
            let recent = terms.len().saturating_sub(40);
            let (a, b) = (terms[recent + random(terms.len() - recent)], terms[random(terms.len())]);
            let both = if random(6) == 0 { pool.not(b) } else { b };
            let both = pool.and(a, both);
            if pool.as_bool(both).is_none() {
                terms.push(both);
            }
            let (a, b) = (terms[terms.len() - 1 - random(20)], terms[terms.len() - 1 - random(20)]);
            let either = pool.or(a, b);
            for _ in 0..6 {
                let mut assignment: Assignment = vars.iter().map(|&var| (var, Value::Bool(true))).collect();
                for _ in 0..random(4) {
                    assignment.insert(vars[random(vars.len())], Value::Bool(false));
                }
                let truth = |term| eval(&pool, term, &assignment).and_then(|value| value.as_bool());
                let expected = truth(a).zip(truth(b)).map(|(a, b)| a || b);
                assert_eq!(truth(either), expected);
            }
        }
    }
}
