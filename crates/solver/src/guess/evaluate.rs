//! The value of a term under guessed values, remembered until a value changes.

use crate::term::bits::{binary, compare, mask, signed};
use crate::term::{FOLDED_WIDTH, Node, Sort, Term, TermPool};

/// What an unknown is until a condition wants otherwise: a number that is no NULL.
pub(super) const DEFAULT: u128 = 1;

pub(super) fn value_of(values: &[u128], variable: u32) -> u128 {
    values.get(variable as usize).copied().unwrap_or(DEFAULT)
}

#[derive(Default)]
pub(super) struct Memo {
    /// By term: the generation in which it was computed, and the value.
    known: Vec<(u32, Option<u128>)>,
    generation: u32,
    stack: Vec<Term>,
}

impl Memo {
    /// A variable has changed.
    pub(super) fn forget(&mut self) {
        self.generation += 1;
    }

    pub(super) fn value(&mut self, pool: &TermPool, term: Term, values: &[u128]) -> Option<u128> {
        if self.known.len() < pool.len() {
            self.known.resize(pool.len(), (u32::MAX, None));
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
                    let chosen = if self.known[condition.index()].1 == Some(1) { yes } else { no };
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
            self.known[top.index()] = (self.generation, self.compute(pool, top, node, values));
            stack.pop();
        }
        self.stack = stack;
        self.known[term.index()].1
    }

    fn is_known(&self, term: Term) -> bool {
        self.known[term.index()].0 == self.generation
    }

    /// What consists of nothing else is computed at once, the rest has to wait.
    fn need(&mut self, pool: &TermPool, term: Term, values: &[u128], stack: &mut Vec<Term>) {
        if self.is_known(term) {
            return;
        }
        match pool.node(term) {
            node @ (Node::Bool(_) | Node::Bits { .. } | Node::Var(_)) => {
                self.known[term.index()] = (self.generation, self.compute(pool, term, node, values));
            }
            _ => stack.push(term),
        }
    }

    fn compute(&self, pool: &TermPool, term: Term, node: Node, values: &[u128]) -> Option<u128> {
        let of = |term: Term| self.known[term.index()].1;
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
