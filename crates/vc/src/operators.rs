//! Operators of guarded commands as terms. A Boolean is of sort Bool, every other value a bit-vector.
//!
//! The functions of this module are the one table from operators to terms. They give `None` for what is not interpreted:
//! operations on floats, and division and shifts of Booleans. The encoder makes those uninterpreted: equal operations on equal
//! operands give equal results, and nothing else is known of them (not even that a value equals itself: it may be a NaN).

use super::Encoder;
use super::limits::MAX_PRODUCT_WIDTH;
use super::values::Unknown;
use gainsay_ir::gc::{BinaryOp, CastOp, UnaryOp};
use gainsay_ir::types::{BOOL, Type};
use gainsay_term::{Node, Sort, Term, TermPool};

pub fn unary(pool: &mut TermPool, op: UnaryOp, a: Term) -> Option<Term> {
    match (op, pool.sort(a)) {
        (UnaryOp::Not, Sort::Bool) => Some(pool.not(a)),
        // A one-bit number is its own negation.
        (UnaryOp::Neg, Sort::Bool) => Some(a),
        (UnaryOp::Not, _) => Some(pool.bv_not(a)),
        (UnaryOp::Neg, _) => Some(pool.bv_neg(a)),
        (UnaryOp::FNeg, _) => None,
    }
}

pub fn cast(pool: &mut TermPool, op: CastOp, to: Type, a: Term, pointer_bits: u16) -> Option<Term> {
    let width = u32::from(to.bits(pointer_bits));
    Some(match (op, pool.sort(a)) {
        (CastOp::ZeroExtend | CastOp::SignExtend, Sort::Bool) => {
            let yes = pool.bits(width, if op == CastOp::SignExtend { u128::MAX } else { 1 });
            let no = pool.bits(width, 0);
            pool.ite(a, yes, no)
        }
        (CastOp::ZeroExtend, _) => {
            let by = width - pool.width(a);
            pool.zero_extend(by, a)
        }
        (CastOp::SignExtend, _) => {
            let by = width - pool.width(a);
            pool.sign_extend(by, a)
        }
        (CastOp::Truncate, Sort::Bool) => a,
        (CastOp::Truncate, _) if to == BOOL => {
            let bit = pool.extract(0, 0, a);
            let one = pool.bits(1, 1);
            pool.eq(bit, one)
        }
        (CastOp::Truncate, _) => pool.extract(width - 1, 0, a),
        (CastOp::PtrToInt | CastOp::IntToPtr, Sort::BitVec(from)) if from == width => a,
        _ => return None,
    })
}

pub fn binary(pool: &mut TermPool, op: BinaryOp, a: Term, b: Term) -> Option<Term> {
    if pool.sort(a) == Sort::Bool {
        return boolean(pool, op, a, b);
    }
    Some(match op {
        BinaryOp::Add | BinaryOp::PtrAdd => pool.bv_add(a, b),
        BinaryOp::Sub | BinaryOp::PtrSub => pool.bv_sub(a, b),
        BinaryOp::Mul => pool.bv_mul(a, b),
        BinaryOp::UDiv => pool.bv_udiv(a, b),
        BinaryOp::SDiv => pool.bv_sdiv(a, b),
        BinaryOp::URem => pool.bv_urem(a, b),
        BinaryOp::SRem => pool.bv_srem(a, b),
        BinaryOp::And => pool.bv_and(a, b),
        BinaryOp::Or => pool.bv_or(a, b),
        BinaryOp::Xor => pool.bv_xor(a, b),
        BinaryOp::Shl => pool.bv_shl(a, b),
        BinaryOp::LShr => pool.bv_lshr(a, b),
        BinaryOp::AShr => pool.bv_ashr(a, b),
        BinaryOp::Eq => pool.eq(a, b),
        BinaryOp::Ne => pool.distinct(a, b),
        BinaryOp::ULt => pool.bv_ult(a, b),
        BinaryOp::ULe => pool.bv_ule(a, b),
        BinaryOp::SLt => pool.bv_slt(a, b),
        BinaryOp::SLe => pool.bv_sle(a, b),
        BinaryOp::FEq
        | BinaryOp::FLt
        | BinaryOp::FLe
        | BinaryOp::FAdd
        | BinaryOp::FSub
        | BinaryOp::FMul
        | BinaryOp::FDiv => return None,
    })
}

fn boolean(pool: &mut TermPool, op: BinaryOp, a: Term, b: Term) -> Option<Term> {
    Some(match op {
        BinaryOp::And | BinaryOp::Mul => pool.and(a, b),
        BinaryOp::Or => pool.or(a, b),
        BinaryOp::Xor | BinaryOp::Add | BinaryOp::Sub | BinaryOp::Ne => pool.xor(a, b),
        BinaryOp::Eq => pool.eq(a, b),
        // As one-bit numbers: 0 < 1 unsigned, -1 < 0 signed.
        BinaryOp::ULt => {
            let not_a = pool.not(a);
            pool.and(not_a, b)
        }
        BinaryOp::ULe | BinaryOp::SLe => {
            let (low, high) = if op == BinaryOp::ULe { (a, b) } else { (b, a) };
            pool.implies(low, high)
        }
        BinaryOp::SLt => {
            let not_b = pool.not(b);
            pool.and(a, not_b)
        }
        _ => return None,
    })
}

/// An uninterpreted operation and its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Application {
    Negate(Term),
    Cast(CastOp, Type, Term),
    Binary(BinaryOp, Term, Term),
}

impl Encoder<'_> {
    fn uninterpreted(&mut self, application: Application, ty: Type) -> Term {
        if let Some(&term) = self.uninterpreted.get(&application) {
            return term;
        }
        self.exact.out.approximate = true;
        let term = self.unknown(Unknown::Float, ty);
        self.uninterpreted.insert(application, term);
        term
    }

    pub(super) fn unary(&mut self, op: UnaryOp, a: Term) -> Term {
        match unary(&mut self.pool, op, a) {
            Some(term) => term,
            None => {
                let ty = Type::Int(self.pool.width(a).max(1) as u16);
                self.uninterpreted(Application::Negate(a), ty)
            }
        }
    }

    pub(super) fn cast(&mut self, op: CastOp, to: Type, a: Term) -> Term {
        let pointer_bits = self.pointer_bits();
        match cast(&mut self.pool, op, to, a, pointer_bits) {
            Some(term) => term,
            None => self.uninterpreted(Application::Cast(op, to, a), to),
        }
    }

    pub(super) fn binary(&mut self, op: BinaryOp, a: Term, b: Term) -> Term {
        if self.pool.sort(a) == Sort::Bool {
            return match boolean(&mut self.pool, op, a, b) {
                Some(term) => term,
                None => self.unknown(Unknown::Bit, BOOL),
            };
        }
        if let Some(factor) = self.undone_product(op, a, b) {
            return factor;
        }
        let interpreted = if self.is_hard(op, a, b) { None } else { binary(&mut self.pool, op, a, b) };
        match interpreted {
            Some(term) => term,
            None if op.is_comparison() => self.uninterpreted(Application::Binary(op, a, b), BOOL),
            None => {
                let ty = Type::Int(self.pool.width(a) as u16);
                self.uninterpreted(Application::Binary(op, a, b), ty)
            }
        }
    }

    /// `x * c / c`, the usual test for overflow, where `x` is too small to overflow.
    fn undone_product(&self, op: BinaryOp, a: Term, b: Term) -> Option<Term> {
        let (BinaryOp::UDiv, Some(divisor)) = (op, self.pool.as_bits(b)) else { return None };
        let Node::Binary(gainsay_term::BinaryOp::Mul, x, y) = self.pool.node(a) else { return None };
        let factor = match (self.pool.as_bits(x), self.pool.as_bits(y)) {
            (_, Some(times)) if times == divisor => x,
            (Some(times), _) if times == divisor => y,
            _ => return None,
        };
        let Node::ZeroExtend { of, .. } = self.pool.node(factor) else { return None };
        let bits_of_divisor = u128::BITS - divisor.leading_zeros();
        let fits = divisor != 0 && self.pool.width(of) + bits_of_divisor <= self.pool.width(a);
        fits.then_some(factor)
    }

    /// Products and quotients of two wide unknowns become tens of thousands of clauses, and no contradiction that a
    /// reader can follow depends on them: they are uninterpreted.
    fn is_hard(&self, op: BinaryOp, a: Term, b: Term) -> bool {
        use BinaryOp::{Mul, SDiv, SRem, UDiv, URem};
        let is_unknown = |term: Term| !self.pool.is_constant(term);
        let is_wide = |term: Term| match self.pool.node(term) {
            Node::ZeroExtend { of, .. } | Node::SignExtend { of, .. } => {
                self.pool.width(of) > MAX_PRODUCT_WIDTH
            }
            _ => self.pool.width(term) > MAX_PRODUCT_WIDTH,
        };
        match op {
            Mul => is_unknown(a) && is_unknown(b) && (is_wide(a) || is_wide(b)),
            UDiv | SDiv | URem | SRem => match self.pool.as_bits(b) {
                Some(divisor) => is_wide(a) && !divisor.is_power_of_two(),
                None => is_wide(a) || is_wide(b),
            },
            _ => false,
        }
    }
}
