//! Arithmetic, bit operations and comparisons of bit-vectors.

use crate::bits::{self, mask, signed_min};
use crate::{BinaryOp, CompareOp, FOLDED_WIDTH, Node, Sort, Term, TermPool};

/// One constructor per operator, so that callers read like the formula.
macro_rules! binary_constructors {
    ($($name:ident $op:ident),*) => {
        impl TermPool {
            $(pub fn $name(&mut self, a: Term, b: Term) -> Term {
                self.binary(BinaryOp::$op, a, b)
            })*
        }
    };
}

binary_constructors! {
    bv_add Add, bv_sub Sub, bv_mul Mul, bv_udiv UDiv, bv_sdiv SDiv, bv_urem URem, bv_srem SRem,
    bv_and And, bv_or Or, bv_xor Xor, bv_shl Shl, bv_lshr LShr, bv_ashr AShr
}

impl TermPool {
    pub fn bv_ult(&mut self, a: Term, b: Term) -> Term {
        self.compare(CompareOp::ULt, a, b)
    }

    pub fn bv_ule(&mut self, a: Term, b: Term) -> Term {
        let greater = self.compare(CompareOp::ULt, b, a);
        self.not(greater)
    }

    pub fn bv_slt(&mut self, a: Term, b: Term) -> Term {
        self.compare(CompareOp::SLt, a, b)
    }

    pub fn bv_sle(&mut self, a: Term, b: Term) -> Term {
        let greater = self.compare(CompareOp::SLt, b, a);
        self.not(greater)
    }

    pub fn bv_not(&mut self, a: Term) -> Term {
        match self.node(a) {
            Node::Bits { width, value } => self.bits(width, !value),
            Node::BvNot(inner) => inner,
            _ => self.vector(Node::BvNot(a), self.width(a)),
        }
    }

    pub fn bv_neg(&mut self, a: Term) -> Term {
        match self.node(a) {
            Node::Bits { width, value } => self.bits(width, value.wrapping_neg()),
            Node::Neg(inner) => inner,
            _ => self.vector(Node::Neg(a), self.width(a)),
        }
    }

    pub fn binary(&mut self, op: BinaryOp, a: Term, b: Term) -> Term {
        let width = self.width(a);
        debug_assert!(width > 0 && width == self.width(b), "operands of {op:?} are not of one width");
        if width > FOLDED_WIDTH {
            return self.vector(Node::Binary(op, a, b), width);
        }
        match (self.as_bits(a), self.as_bits(b)) {
            (Some(x), Some(y)) => self.bits(width, bits::binary(op, width, x, y)),
            (None, Some(y)) => self.with_constant_right(op, width, a, b, y),
            (Some(x), None) if op.is_commutative() => self.with_constant_right(op, width, b, a, x),
            (Some(0), None) if matches!(op, BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr) => a,
            _ if a == b => self.with_itself(op, width, a),
            _ => self.ordered(op, width, a, b),
        }
    }

    fn with_constant_right(
        &mut self,
        op: BinaryOp,
        width: u32,
        a: Term,
        constant: Term,
        value: u128,
    ) -> Term {
        let ones = mask(width);
        match (op, value) {
            (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Or | BinaryOp::Xor, 0)
            | (BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr, 0)
            | (BinaryOp::Mul | BinaryOp::UDiv | BinaryOp::SDiv, 1) => a,
            (BinaryOp::Mul | BinaryOp::And, 0) => constant,
            (BinaryOp::URem, 1) => self.bits(width, 0),
            (BinaryOp::Or, value) if value == ones => constant,
            (BinaryOp::And, value) if value == ones => a,
            (BinaryOp::Xor, value) if value == ones => self.bv_not(a),
            (BinaryOp::Shl | BinaryOp::LShr, value) if value >= u128::from(width) => self.bits(width, 0),
            // Subtraction of a constant is addition, so that offsets add up whatever their sign.
            (BinaryOp::Sub, value) => {
                let negated = self.bits(width, value.wrapping_neg());
                self.bv_add(a, negated)
            }
            (BinaryOp::Add, value) => {
                let (base, offset) = self.base_and_offset(a);
                let sum = self.bits(width, offset.wrapping_add(value));
                if base == a { self.ordered(op, width, a, sum) } else { self.bv_add(base, sum) }
            }
            _ => self.ordered(op, width, a, constant),
        }
    }

    fn with_itself(&mut self, op: BinaryOp, width: u32, a: Term) -> Term {
        match op {
            BinaryOp::Sub | BinaryOp::Xor | BinaryOp::URem | BinaryOp::SRem => self.bits(width, 0),
            BinaryOp::And | BinaryOp::Or => a,
            _ => self.ordered(op, width, a, a),
        }
    }

    fn ordered(&mut self, op: BinaryOp, width: u32, a: Term, b: Term) -> Term {
        let (a, b) = if op.is_commutative() { (a.min(b), a.max(b)) } else { (a, b) };
        self.vector(Node::Binary(op, a, b), width)
    }

    pub fn compare(&mut self, op: CompareOp, a: Term, b: Term) -> Term {
        let width = self.width(a);
        debug_assert!(width > 0 && width == self.width(b), "operands of {op:?} are not of one width");
        if a == b {
            return self.bool(false);
        }
        if width > FOLDED_WIDTH {
            return self.formula(Node::Compare(op, a, b));
        }
        let (least, greatest) = match op {
            CompareOp::ULt => (0, mask(width)),
            CompareOp::SLt => (signed_min(width), mask(width) >> 1),
        };
        match (self.as_bits(a), self.as_bits(b)) {
            (Some(x), Some(y)) => self.bool(bits::compare(op, width, x, y)),
            // Nothing is below the least or above the greatest.
            (_, Some(y)) if y == least => self.bool(false),
            (Some(x), _) if x == greatest => self.bool(false),
            // A constant is on the right: `5 < x` is `not (x < 6)`. One form for each meaning, so that equal
            // conditions are equal terms.
            (Some(x), _) => {
                let next = self.bits(width, x.wrapping_add(1));
                let at_most = self.compare(op, b, next);
                self.not(at_most)
            }
            (_, Some(y)) if y == least.wrapping_add(1) & mask(width) => {
                let least = self.bits(width, least);
                self.eq(a, least)
            }
            (_, Some(y)) if y == greatest => {
                let greatest = self.bits(width, greatest);
                let is_greatest = self.eq(a, greatest);
                self.not(is_greatest)
            }
            _ => self.formula(Node::Compare(op, a, b)),
        }
    }

    pub(super) fn vector(&mut self, node: Node, width: u32) -> Term {
        self.intern(node, Sort::BitVec(width))
    }
}
