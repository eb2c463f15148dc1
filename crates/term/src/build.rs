//! Constructors of terms. Each simplifies by looking at its operands only: enough that idioms of C (a comparison converted to
//! `int` and compared with zero) and reads of memory that was just written never reach the solver.
//!
//! Operands of the wrong sort are a bug in the caller, caught by debug builds; in release builds the solver rejects such a
//! formula and the query has no answer.

mod arrays;
mod bitvec;
mod factor;
mod slices;

use super::bits::mask;
use super::{FOLDED_WIDTH, Node, Sort, Term, TermPool};

impl TermPool {
    pub fn bool(&mut self, value: bool) -> Term {
        self.intern(Node::Bool(value), Sort::Bool)
    }

    /// The bit-vector of the low `width` bits of `value`; zero-extended if wider than [`FOLDED_WIDTH`].
    pub fn bits(&mut self, width: u32, value: u128) -> Term {
        debug_assert!(width > 0, "a bit-vector has at least one bit");
        let stored = width.min(FOLDED_WIDTH);
        let low =
            self.intern(Node::Bits { width: stored, value: value & mask(stored) }, Sort::BitVec(stored));
        self.zero_extend(width - stored, low)
    }

    pub fn not(&mut self, a: Term) -> Term {
        match self.node(a) {
            Node::Bool(value) => self.bool(!value),
            Node::Not(inner) => inner,
            _ => self.formula(Node::Not(a)),
        }
    }

    pub fn and(&mut self, a: Term, b: Term) -> Term {
        match (self.as_bool(a), self.as_bool(b)) {
            (Some(true), _) => b,
            (_, Some(true)) => a,
            (Some(false), _) => a,
            (_, Some(false)) => b,
            _ if a == b => a,
            _ if self.are_opposite(a, b) => self.bool(false),
            _ if self.has_conjunct(a, b) => a,
            _ if self.has_conjunct(b, a) => b,
            _ => self.formula(Node::And(a.min(b), a.max(b))),
        }
    }

    pub fn or(&mut self, a: Term, b: Term) -> Term {
        match (self.as_bool(a), self.as_bool(b)) {
            (Some(false), _) => b,
            (_, Some(false)) => a,
            (Some(true), _) => a,
            (_, Some(true)) => b,
            _ if a == b => a,
            _ if self.are_opposite(a, b) => self.bool(true),
            _ => match self.or_factored(a, b) {
                Some(factored) => factored,
                None => self.formula(Node::Or(a.min(b), a.max(b))),
            },
        }
    }

    /// All of them; true if there is none.
    pub fn all(&mut self, terms: &[Term]) -> Term {
        let none = self.bool(true);
        terms.iter().fold(none, |all, &term| self.and(all, term))
    }

    /// At least one of them; false if there is none.
    pub fn any(&mut self, terms: &[Term]) -> Term {
        let none = self.bool(false);
        terms.iter().fold(none, |any, &term| self.or(any, term))
    }

    /// A bit for each of the formulas, the first one lowest.
    pub fn pack(&mut self, formulas: &[Term]) -> Term {
        let (zero, one) = (self.bits(1, 0), self.bits(1, 1));
        let mut packed = None;
        for &formula in formulas {
            let bit = self.ite(formula, one, zero);
            packed = Some(packed.map_or(bit, |lower| self.concat(bit, lower)));
        }
        packed.unwrap_or(zero)
    }

    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let not_a = self.not(a);
        self.or(not_a, b)
    }

    pub fn xor(&mut self, a: Term, b: Term) -> Term {
        match (self.node(a), self.node(b)) {
            (Node::Bool(false), _) => b,
            (_, Node::Bool(false)) => a,
            (Node::Bool(true), _) => self.not(b),
            (_, Node::Bool(true)) => self.not(a),
            // One form for all signs: only the outermost negation stays.
            (Node::Not(inner), _) => {
                let positive = self.xor(inner, b);
                self.not(positive)
            }
            (_, Node::Not(inner)) => {
                let positive = self.xor(a, inner);
                self.not(positive)
            }
            _ if a == b => self.bool(false),
            _ => self.formula(Node::Xor(a.min(b), a.max(b))),
        }
    }

    pub fn distinct(&mut self, a: Term, b: Term) -> Term {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b), "equality of two sorts");
        if a == b {
            return self.bool(true);
        }
        if self.are_different(a, b) {
            return self.bool(false);
        }
        match (self.as_bool(a), self.as_bool(b)) {
            (Some(true), _) => return b,
            (_, Some(true)) => return a,
            (Some(false), _) => return self.not(b),
            (_, Some(false)) => return self.not(a),
            (None, None) => {}
        }
        let simpler = if self.is_constant(b) {
            self.eq_constant(a, b)
        } else if self.is_constant(a) {
            self.eq_constant(b, a)
        } else {
            None
        };
        simpler.unwrap_or_else(|| self.formula(Node::Eq(a.min(b), a.max(b))))
    }

    /// `term = constant`, where the constant decides something: `(c ? 1 : 0) = 1` is `c`.
    fn eq_constant(&mut self, term: Term, constant: Term) -> Option<Term> {
        let wanted = self.as_bits(constant)?;
        match self.node(term) {
            Node::Ite(condition, yes, no) if self.is_constant(yes) && self.is_constant(no) => {
                // The arms differ, or `ite` would have dropped the condition.
                if yes == constant {
                    Some(condition)
                } else if no == constant {
                    Some(self.not(condition))
                } else {
                    Some(self.bool(false))
                }
            }
            Node::ZeroExtend { of, .. } => {
                let width = self.width(of);
                if wanted & !mask(width) != 0 {
                    return Some(self.bool(false));
                }
                let narrow = self.bits(width, wanted);
                Some(self.eq(of, narrow))
            }
            _ => None,
        }
    }

    pub fn ite(&mut self, condition: Term, yes: Term, no: Term) -> Term {
        debug_assert_eq!(self.sort(yes), self.sort(no), "the arms of an ite have two sorts");
        if yes == no {
            return yes;
        }
        match self.node(condition) {
            Node::Bool(true) => return yes,
            Node::Bool(false) => return no,
            Node::Not(inner) => return self.ite(inner, no, yes),
            _ => {}
        }
        let yes = self.under(condition, true, yes);
        let no = self.under(condition, false, no);
        match (self.as_bool(yes), self.as_bool(no)) {
            _ if yes == no => yes,
            (Some(true), _) => self.or(condition, no),
            (_, Some(false)) => self.and(condition, yes),
            (Some(false), _) => {
                let otherwise = self.not(condition);
                self.and(otherwise, no)
            }
            (_, Some(true)) => self.implies(condition, yes),
            (None, None) => {
                let sort = self.sort(yes);
                self.intern(Node::Ite(condition, yes, no), sort)
            }
        }
    }

    /// An arm of an `ite` that repeats its condition needs only one of its own arms.
    fn under(&self, condition: Term, holds: bool, arm: Term) -> Term {
        match self.node(arm) {
            Node::Ite(inner, yes, no) if inner == condition => {
                if holds {
                    yes
                } else {
                    no
                }
            }
            _ => arm,
        }
    }

    /// Two terms that no assignment makes equal, as far as can be seen at once: different constants, `b` and
    /// `!b`, or the same base with different constant offsets.
    pub(super) fn are_different(&self, a: Term, b: Term) -> bool {
        if self.is_constant(a) && self.is_constant(b) {
            return a != b;
        }
        match self.sort(a) {
            Sort::Bool => self.are_opposite(a, b),
            Sort::BitVec(width) if width <= FOLDED_WIDTH => {
                let (base_a, offset_a) = self.base_and_offset(a);
                let (base_b, offset_b) = self.base_and_offset(b);
                base_a == base_b && offset_a != offset_b
            }
            Sort::BitVec(_) | Sort::Array { .. } => false,
        }
    }

    fn base_and_offset(&self, term: Term) -> (Term, u128) {
        // Operands are ordered by age, so the constant may stand on either side.
        match self.node(term) {
            Node::Binary(super::BinaryOp::Add, a, b) => match (self.as_bits(a), self.as_bits(b)) {
                (Some(offset), None) => (b, offset),
                (None, Some(offset)) => (a, offset),
                _ => (term, 0),
            },
            _ => (term, 0),
        }
    }

    fn are_opposite(&self, a: Term, b: Term) -> bool {
        self.node(a) == Node::Not(b) || self.node(b) == Node::Not(a)
    }

    /// The value of a Boolean constant.
    pub fn as_bool(&self, term: Term) -> Option<bool> {
        match self.node(term) {
            Node::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The value of a bit-vector constant.
    pub fn as_bits(&self, term: Term) -> Option<u128> {
        match self.node(term) {
            Node::Bits { value, .. } => Some(value),
            _ => None,
        }
    }

    pub fn is_constant(&self, term: Term) -> bool {
        matches!(self.node(term), Node::Bool(_) | Node::Bits { .. })
    }

    fn formula(&mut self, node: Node) -> Term {
        if cfg!(debug_assertions) && !matches!(node, Node::Eq(..) | Node::Compare(..)) {
            for operand in node.operands() {
                debug_assert_eq!(self.sort(operand), Sort::Bool, "a Boolean operator on another sort");
            }
        }
        self.intern(node, Sort::Bool)
    }
}
