//! The value of a term under the current assignment, cached until one of its unknowns may have changed.

use crate::bits::{binary, compare, mask, signed};
use crate::{FOLDED_WIDTH, Node, Sort, Term, TermPool};

/// The initial value of unknowns: not NULL.
// not a limit: a value
pub(super) const DEFAULT: u128 = 1;

pub(super) fn value_of(values: &[u128], variable: u32) -> u128 {
    values.get(variable as usize).copied().unwrap_or(DEFAULT)
}

/// Unknowns are grouped by their number modulo this.
// not a limit: bits of a set
const GROUPS: u32 = 64;

pub(super) struct Memo {
    /// By term.
    known: Vec<Known>,
    generation: u32,
    /// For each group of unknowns, the generation in which one of them changed last.
    changed: [u32; GROUPS as usize],
    stack: Vec<Term>,
}

#[derive(Clone, Copy)]
struct Known {
    value: Option<u128>,
    /// In which it was computed; 0 if it was not.
    generation: u32,
    /// The groups of the unknowns in the term, a bit each.
    groups: u64,
}

impl Default for Memo {
    /// Whatever is computed is computed in a generation after 0.
    fn default() -> Memo {
        Memo { known: Vec::new(), generation: 1, changed: [0; GROUPS as usize], stack: Vec::new() }
    }
}

impl Memo {
    /// A variable has changed.
    pub(super) fn forget(&mut self, variable: u32) {
        self.generation += 1;
        self.changed[(variable % GROUPS) as usize] = self.generation;
    }

    /// Terms come after their operands.
    fn learn_new_terms(&mut self, pool: &TermPool) {
        for term in pool.terms_from(self.known.len()) {
            let groups = match pool.node(term) {
                Node::Var(number) => 1 << (number % GROUPS),
                node => node.operands().iter().fold(0, |groups, of| groups | self.known[of.index()].groups),
            };
            self.known.push(Known { value: None, generation: 0, groups });
        }
    }

    pub(super) fn value(&mut self, pool: &TermPool, term: Term, values: &[u128]) -> Option<u128> {
        if self.known.len() < pool.len() {
            self.learn_new_terms(pool);
        }
        if self.is_known(term) {
            return self.known[term.index()].value;
        }
        let mut stack = std::mem::take(&mut self.stack);
        self.need(pool, term, values, &mut stack);
        while let Some(&top) = stack.last() {
            if self.is_known(top) {
                stack.pop();
                continue;
            }
            let node = pool.node(top);
            let waiting = stack.len();
            // Only the branch that counts; the condition comes first.
            if let Node::Ite(condition, yes, no) = node {
                self.need(pool, condition, values, &mut stack);
                if stack.len() == waiting {
                    let chosen = if self.known[condition.index()].value == Some(1) { yes } else { no };
                    self.need(pool, chosen, values, &mut stack);
                }
            } else {
                for operand in node.operands() {
                    self.need(pool, operand, values, &mut stack);
                }
            }
            if stack.len() > waiting {
                continue;
            }
            self.learn(pool, top, node, values);
            stack.pop();
        }
        self.stack = stack;
        self.known[term.index()].value
    }

    /// Was it computed, and has no unknown of its groups changed since?
    fn is_known(&self, term: Term) -> bool {
        let Known { generation, mut groups, .. } = self.known[term.index()];
        if generation == self.generation {
            return true;
        }
        if generation == 0 {
            return false;
        }
        while groups != 0 {
            if self.changed[groups.trailing_zeros() as usize] > generation {
                return false;
            }
            groups &= groups - 1;
        }
        true
    }

    fn learn(&mut self, pool: &TermPool, term: Term, node: Node, values: &[u128]) {
        let value = self.compute(pool, term, node, values);
        let known = &mut self.known[term.index()];
        (known.value, known.generation) = (value, self.generation);
    }

    /// Terms whose operands are computed are computed at once; others are pushed.
    fn need(&mut self, pool: &TermPool, term: Term, values: &[u128], stack: &mut Vec<Term>) {
        if self.is_known(term) {
            return;
        }
        match pool.node(term) {
            node @ (Node::Bool(_) | Node::Bits { .. } | Node::Var(_)) => {
                self.learn(pool, term, node, values);
            }
            _ => stack.push(term),
        }
    }

    fn compute(&self, pool: &TermPool, term: Term, node: Node, values: &[u128]) -> Option<u128> {
        let of = |term: Term| self.known[term.index()].value;
        let width = match pool.sort(term) {
            Sort::BitVec(width) if width > FOLDED_WIDTH => return None,
            Sort::BitVec(width) => width,
            Sort::Bool => 1,
            Sort::Array { .. } => return None,
        };
        let value = match node {
            Node::Bool(value) => u128::from(value),
            Node::Bits { value, .. } => value,
            Node::Var(number) => value_of(values, number),
            Node::Not(a) => of(a)? ^ 1,
            Node::And(a, b) => of(a)? & of(b)?,
            Node::Or(a, b) => of(a)? | of(b)?,
            Node::Xor(a, b) => of(a)? ^ of(b)?,
            Node::Eq(a, b) => u128::from(of(a)? == of(b)?),
            Node::Ite(condition, yes, no) => of(if of(condition)? == 1 { yes } else { no })?,
            Node::BvNot(a) => !of(a)?,
            Node::Neg(a) => of(a)?.wrapping_neg(),
            Node::Binary(op, a, b) => binary(op, width, of(a)?, of(b)?),
            Node::Compare(op, a, b) => u128::from(compare(op, pool.width(a), of(a)?, of(b)?)),
            Node::Concat(high, low) => (of(high)? << pool.width(low)) | of(low)?,
            Node::Extract { low, of: inner, .. } => of(inner)? >> low,
            Node::ZeroExtend { of: inner, .. } => of(inner)?,
            Node::SignExtend { of: inner, .. } => signed(of(inner)?, pool.width(inner)) as u128,
            Node::Select(..) | Node::Store(..) => return None,
        };
        Some(value & mask(width))
    }
}
