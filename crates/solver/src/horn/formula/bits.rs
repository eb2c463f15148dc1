//! Formulas over integers as terms over bit-vectors, exactly.

use super::{Formula, Integer, Relation};
use crate::horn::Reading;
use gainsay_term::{Term, TermPool};

impl Formula {
    /// The same statement about bit-vectors, read as numbers that are wide enough for everything to be exact. `None` if
    /// that would be wider than can be computed with.
    pub(in crate::horn) fn term(&self, pool: &mut TermPool, arguments: &[(Term, Reading)]) -> Option<Term> {
        match self {
            Formula::Bool(value) => Some(pool.bool(*value)),
            Formula::Argument(number) => Some(arguments.get(*number)?.0),
            Formula::Not(inner) => {
                let inner = inner.term(pool, arguments)?;
                Some(pool.not(inner))
            }
            Formula::And(all) => {
                let all = all.iter().map(|f| f.term(pool, arguments)).collect::<Option<Vec<_>>>()?;
                Some(pool.all(&all))
            }
            Formula::Or(any) => {
                let any = any.iter().map(|f| f.term(pool, arguments)).collect::<Option<Vec<_>>>()?;
                Some(pool.any(&any))
            }
            Formula::Same(a, b) => {
                let (a, b) = (a.term(pool, arguments)?, b.term(pool, arguments)?);
                Some(pool.eq(a, b))
            }
            Formula::Choice(c, a, b) => {
                let c = c.term(pool, arguments)?;
                let (a, b) = (a.term(pool, arguments)?, b.term(pool, arguments)?);
                Some(pool.ite(c, a, b))
            }
            Formula::Compare(relation, a, b) => Sides::of(*relation, a, b)?.term(pool, arguments),
        }
    }
}

/// A comparison with everything added on the side where it is positive: solvers of bit-vectors find `i < n` easy, and
/// `i - n < 0` in more bits hard.
struct Sides {
    /// Parts with how often they count.
    left: Vec<(i128, Integer)>,
    right: Vec<(i128, Integer)>,
    /// Added on the right.
    constant: i128,
    is_equality: bool,
}

impl Sides {
    fn of(relation: Relation, a: &Integer, b: &Integer) -> Option<Sides> {
        let mut parts: Vec<(i128, Integer)> = Vec::new();
        let mut constant = collect(a, 1, &mut parts)?;
        constant = constant.checked_add(collect(b, -1, &mut parts)?)?;
        // parts + constant <= 0
        if relation == Relation::Less {
            constant = constant.checked_add(1)?;
        }
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for (times, part) in parts {
            match times.signum() {
                1 => left.push((times, part)),
                -1 => right.push((-times, part)),
                _ => {}
            }
        }
        Some(Sides {
            left,
            right,
            constant: constant.checked_neg()?,
            is_equality: relation == Relation::Equal,
        })
    }

    fn term(self, pool: &mut TermPool, arguments: &[(Term, Reading)]) -> Option<Term> {
        if let Some(term) = self.plain(pool, arguments) {
            return Some(term);
        }
        let sum = |side: &[(i128, Integer)], constant: i128| {
            let part = |(times, of): &(i128, Integer)| match times {
                1 => of.clone(),
                times => Integer::Product(*times, Box::new(of.clone())),
            };
            let mut parts: Vec<Integer> = side.iter().map(part).collect();
            if constant != 0 || parts.is_empty() {
                parts.push(Integer::Constant(constant));
            }
            Integer::Sum(parts)
        };
        let left = sum(&self.left, (-self.constant).max(0));
        let right = sum(&self.right, self.constant.max(0));
        let width = left.bits(pool, arguments)?.max(right.bits(pool, arguments)?);
        let (left, right) = (left.term(pool, arguments, width)?, right.term(pool, arguments, width)?);
        Some(if self.is_equality { pool.eq(left, right) } else { pool.bv_sle(left, right) })
    }

    /// Of two arguments, or one and a constant, in their own width.
    fn plain(&self, pool: &mut TermPool, arguments: &[(Term, Reading)]) -> Option<Term> {
        let single = |side: &[(i128, Integer)]| match side {
            [(1, Integer::Argument(number))] => arguments.get(*number).copied(),
            _ => None,
        };
        let at_most = |pool: &mut TermPool, a, b, reading| match reading {
            Reading::Signed => pool.bv_sle(a, b),
            Reading::Unsigned => pool.bv_ule(a, b),
        };
        let (left, right) = (single(&self.left), single(&self.right));
        if let (Some((a, reading)), Some((b, other))) = (left, right) {
            if reading != other || pool.width(a) != pool.width(b) {
                return None;
            }
            return match (self.is_equality, self.constant) {
                (true, 0) => Some(pool.eq(a, b)),
                (false, 0) => Some(at_most(pool, a, b, reading)),
                (false, -1) => {
                    let reverse = at_most(pool, b, a, reading);
                    Some(pool.not(reverse))
                }
                _ => None,
            };
        }
        // argument <= constant, or argument >= bound
        let (term, reading, constant, is_upper) = match (left, right) {
            (Some((term, reading)), None) if self.right.is_empty() => (term, reading, self.constant, true),
            (None, Some((term, reading))) if self.left.is_empty() => {
                (term, reading, self.constant.checked_neg()?, false)
            }
            _ => return None,
        };
        let width = pool.width(term);
        if width == 0 || width > 100 {
            return None;
        }
        let (low, high) = reading.bounds(width);
        let bits = pool.bits(width, constant as u128);
        if self.is_equality {
            return Some(if (low..=high).contains(&constant) {
                pool.eq(term, bits)
            } else {
                pool.bool(false)
            });
        }
        Some(if is_upper {
            if constant >= high {
                pool.bool(true)
            } else if constant < low {
                pool.bool(false)
            } else {
                at_most(pool, term, bits, reading)
            }
        } else if constant <= low {
            pool.bool(true)
        } else if constant > high {
            pool.bool(false)
        } else {
            at_most(pool, bits, term, reading)
        })
    }
}

/// Adds the parts of a sum; gives its constant.
fn collect(integer: &Integer, times: i128, parts: &mut Vec<(i128, Integer)>) -> Option<i128> {
    match integer {
        Integer::Constant(value) => value.checked_mul(times),
        Integer::Sum(all) => {
            let mut constant: i128 = 0;
            for part in all {
                constant = constant.checked_add(collect(part, times, parts)?)?;
            }
            Some(constant)
        }
        Integer::Product(factor, of) => collect(of, times.checked_mul(*factor)?, parts),
        other => {
            match parts.iter_mut().find(|(_, part)| part == other) {
                Some((count, _)) => *count = count.checked_add(times)?,
                None => parts.push((times, other.clone())),
            }
            Some(0)
        }
    }
}

impl Integer {
    /// The numbers between which the value lies.
    fn bounds(&self, pool: &TermPool, arguments: &[(Term, Reading)]) -> Option<(i128, i128)> {
        match self {
            Integer::Constant(value) => Some((*value, *value)),
            Integer::Argument(number) => {
                let &(term, reading) = arguments.get(*number)?;
                let width = pool.width(term);
                (1..=100).contains(&width).then(|| reading.bounds(width))
            }
            Integer::Sum(parts) => parts.iter().try_fold((0i128, 0i128), |(low, high), part| {
                let (a, b) = part.bounds(pool, arguments)?;
                Some((low.checked_add(a)?, high.checked_add(b)?))
            }),
            Integer::Product(factor, of) => {
                let (a, b) = of.bounds(pool, arguments)?;
                let (a, b) = (a.checked_mul(*factor)?, b.checked_mul(*factor)?);
                Some((a.min(b), a.max(b)))
            }
            Integer::Quotient(of, by) => {
                let (a, b) = of.bounds(pool, arguments)?;
                Some((a.div_euclid(*by), b.div_euclid(*by)))
            }
            Integer::Remainder(_, by) => Some((0, *by - 1)),
            Integer::Choice(_, a, b) => {
                let (a, b) = (a.bounds(pool, arguments)?, b.bounds(pool, arguments)?);
                Some((a.0.min(b.0), a.1.max(b.1)))
            }
        }
    }

    /// A width in which this and all its parts are exact, with room for a correction by one divisor.
    fn bits(&self, pool: &TermPool, arguments: &[(Term, Reading)]) -> Option<u32> {
        let (low, high) = self.bounds(pool, arguments)?;
        let own = 2 + i128::BITS - low.unsigned_abs().max(high.unsigned_abs()).leading_zeros();
        let below = match self {
            Integer::Constant(_) | Integer::Argument(_) => 0,
            Integer::Sum(parts) => {
                let mut widest = 0;
                // Partial sums count, in whatever order.
                let mut total: i128 = 0;
                for part in parts {
                    let (a, b) = part.bounds(pool, arguments)?;
                    let largest = i128::try_from(a.unsigned_abs().max(b.unsigned_abs())).ok()?;
                    total = total.checked_add(largest)?;
                    widest = widest.max(part.bits(pool, arguments)?);
                }
                widest.max(2 + i128::BITS - total.leading_zeros())
            }
            Integer::Product(factor, of) => {
                of.bits(pool, arguments)?.max(2 + i128::BITS - factor.unsigned_abs().leading_zeros())
            }
            Integer::Quotient(of, by) | Integer::Remainder(of, by) => {
                1 + of.bits(pool, arguments)?.max(2 + i128::BITS - by.leading_zeros())
            }
            // The condition has a width of its own.
            Integer::Choice(_, a, b) => a.bits(pool, arguments)?.max(b.bits(pool, arguments)?),
        };
        let bits = own.max(below);
        (bits <= 128).then_some(bits)
    }

    fn term(&self, pool: &mut TermPool, arguments: &[(Term, Reading)], width: u32) -> Option<Term> {
        match self {
            Integer::Constant(value) => Some(pool.bits(width, *value as u128)),
            Integer::Argument(number) => {
                let &(term, reading) = arguments.get(*number)?;
                let by = width.checked_sub(pool.width(term))?;
                Some(match reading {
                    Reading::Signed => pool.sign_extend(by, term),
                    Reading::Unsigned => pool.zero_extend(by, term),
                })
            }
            Integer::Sum(parts) => {
                let zero = pool.bits(width, 0);
                parts.iter().try_fold(zero, |sum, part| {
                    let part = part.term(pool, arguments, width)?;
                    Some(pool.bv_add(sum, part))
                })
            }
            Integer::Product(factor, of) => {
                let of = of.term(pool, arguments, width)?;
                if *factor == -1 {
                    return Some(pool.bv_neg(of));
                }
                let factor = pool.bits(width, *factor as u128);
                Some(pool.bv_mul(factor, of))
            }
            Integer::Quotient(of, by) => {
                let rest = Integer::Remainder(of.clone(), *by).term(pool, arguments, width)?;
                let of = of.term(pool, arguments, width)?;
                if by.count_ones() == 1 {
                    let by = pool.bits(width, u128::from(by.trailing_zeros()));
                    return Some(pool.bv_ashr(of, by));
                }
                let multiple = pool.bv_sub(of, rest);
                let by = pool.bits(width, *by as u128);
                Some(pool.bv_sdiv(multiple, by))
            }
            Integer::Remainder(of, by) => {
                let of = of.term(pool, arguments, width)?;
                if by.count_ones() == 1 {
                    let mask = pool.bits(width, *by as u128 - 1);
                    return Some(pool.bv_and(of, mask));
                }
                let by = pool.bits(width, *by as u128);
                let rest = pool.bv_srem(of, by);
                let zero = pool.bits(width, 0);
                let is_negative = pool.bv_slt(rest, zero);
                let corrected = pool.bv_add(rest, by);
                Some(pool.ite(is_negative, corrected, rest))
            }
            Integer::Choice(c, a, b) => {
                let c = c.term(pool, arguments)?;
                let (a, b) = (a.term(pool, arguments, width)?, b.term(pool, arguments, width)?);
                Some(pool.ite(c, a, b))
            }
        }
    }
}

impl Reading {
    /// The smallest and the largest number of a width.
    pub(in crate::horn) fn bounds(self, width: u32) -> (i128, i128) {
        match self {
            Reading::Signed => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
            Reading::Unsigned => (0, (1 << width) - 1),
        }
    }
}
