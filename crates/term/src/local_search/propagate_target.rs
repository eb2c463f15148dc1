//! Propagates a target value: changes one unknown so that a term gets the value, by walking down from the term and computing at
//! each operator what one operand must be if the others stay the same. If several operands could change, a pseudo-random choice
//! is made, so that another attempt may succeed.

use super::Guess;
use crate::bits::{mask, signed, signed_min};
use crate::limits::MAX_BITS_DEPTH;
use crate::{BinaryOp, CompareOp, Node, Term, TermPool};

/// A step down: this operand should get this value.
type Wish = (Term, u128);

impl Guess {
    /// Tries to give the term the value; true if an unknown was changed (or none had to be).
    pub(super) fn propagate_target(&mut self, pool: &TermPool, term: Term, wanted: u128) -> bool {
        let (mut term, mut wanted) = (term, wanted);
        loop {
            if self.value(pool, term) == Some(wanted) {
                return true;
            }
            let wish = match pool.node(term) {
                Node::Var(number) => {
                    self.set(number, wanted);
                    return true;
                }
                // Both sides have to change.
                Node::And(a, b) if wanted == 1 => {
                    if !self.propagate_target(pool, a, 1) {
                        return false;
                    }
                    Some((b, 1))
                }
                Node::Or(a, b) if wanted == 0 => {
                    if !self.propagate_target(pool, a, 0) {
                        return false;
                    }
                    Some((b, 0))
                }
                node => self.wish(pool, node, wanted),
            };
            match wish {
                Some(next) => (term, wanted) = next,
                None => return self.value(pool, term) == Some(wanted),
            }
        }
    }

    fn wish(&mut self, pool: &TermPool, node: Node, wanted: u128) -> Option<Wish> {
        match node {
            Node::Not(a) => Some((a, wanted ^ 1)),
            Node::And(a, b) | Node::Or(a, b) => {
                let (first, second) = self.shuffled(a, b);
                let constant = |term| pool.as_bool(term).is_some();
                Some((if constant(first) { second } else { first }, wanted))
            }
            Node::Xor(a, b) => {
                let (change, keep) = self.changeable(pool, a, b)?;
                Some((change, self.value(pool, keep)? ^ wanted))
            }
            Node::Eq(a, b) if wanted == 0 && pool.width(a) > 0 => {
                let (change, keep) = self.changeable(pool, a, b)?;
                if self.random.flip() && is_made_of_bits(pool, change) {
                    let kept = self.value(pool, keep)?;
                    return Some((change, self.another(pool, change, kept)));
                }
                self.disturb(pool, change);
                None
            }
            Node::Eq(a, b) => {
                let (change, keep) = self.changeable(pool, a, b)?;
                let kept = self.value(pool, keep)?;
                Some((change, if wanted == 1 { kept } else { self.another(pool, change, kept) }))
            }
            Node::Ite(condition, yes, no) => {
                let holds = self.value(pool, condition)? == 1;
                let (chosen, other) = if holds { (yes, no) } else { (no, yes) };
                let is_fixed = pool.is_constant(chosen);
                if self.value(pool, other) == Some(wanted) && (is_fixed || self.random.flip()) {
                    return Some((condition, u128::from(!holds)));
                }
                if is_fixed || (!pool.is_constant(other) && self.random.next().is_multiple_of(4)) {
                    // First the other side gets the value, then the condition turns to it.
                    if pool.is_constant(other) || !self.propagate_target(pool, other, wanted) {
                        return None;
                    }
                    return Some((condition, u128::from(!holds)));
                }
                Some((chosen, wanted))
            }
            Node::Compare(op, a, b) => self.wish_of_comparison(pool, op, a, b, wanted == 1),
            Node::BvNot(a) => Some((a, !wanted & mask(pool.width(a)))),
            Node::Neg(a) => Some((a, wanted.wrapping_neg() & mask(pool.width(a)))),
            Node::Binary(op, a, b) => self.wish_of_arithmetic(pool, op, a, b, wanted),
            Node::Concat(high, low) => {
                let low_width = pool.width(low);
                let wanted_low = wanted & mask(low_width);
                if self.value(pool, low) != Some(wanted_low) && !self.propagate_target(pool, low, wanted_low)
                {
                    return None;
                }
                Some((high, wanted >> low_width))
            }
            Node::Extract { high, low, of } => {
                let hole = mask(high - low + 1) << low;
                Some((of, (self.value(pool, of)? & !hole) | (wanted << low)))
            }
            Node::ZeroExtend { of, .. } => (wanted <= mask(pool.width(of))).then_some((of, wanted)),
            Node::SignExtend { by, of } => {
                let width = pool.width(of);
                let low = wanted & mask(width);
                let back = signed(low, width) as u128 & mask(width + by);
                (back == wanted).then_some((of, low))
            }
            Node::Bool(_) | Node::Bits { .. } | Node::Var(_) | Node::Select(..) | Node::Store(..) => None,
        }
    }

    /// Changes some unknown below the term: nearly every change makes it another value.
    fn disturb(&mut self, pool: &TermPool, mut term: Term) {
        loop {
            let node = pool.node(term);
            if let Node::Var(number) = node {
                let old = super::evaluate::value_of(&self.values, number);
                let value = self.neighbour(old, pool.width(term).max(1));
                self.set(number, value);
                return;
            }
            let below: Vec<Term> =
                node.operands().into_iter().filter(|&operand| !pool.is_constant(operand)).collect();
            if below.is_empty() {
                return;
            }
            term = below[self.random.next() as usize % below.len()];
        }
    }

    fn wish_of_comparison(
        &mut self,
        pool: &TermPool,
        op: CompareOp,
        a: Term,
        b: Term,
        holds: bool,
    ) -> Option<Wish> {
        let width = pool.width(a);
        let is_signed = op == CompareOp::SLt;
        // What has to be smaller than what?
        let (small, large) = if holds { (a, b) } else { (b, a) };
        let (least, greatest) =
            if is_signed { (signed_min(width), signed_min(width) - 1) } else { (0, mask(width)) };
        let (change, keep) = self.changeable(pool, small, large)?;
        let kept = self.value(pool, keep)?;
        let step = u128::from(holds);
        if change == small {
            if holds && kept == least {
                return None;
            }
            let near = kept.wrapping_sub(step) & mask(width);
            let far = least;
            let value = if self.random.next().is_multiple_of(4) { far } else { near };
            Some((small, if is_signed { value } else { value & possible_bits(pool, small, MAX_BITS_DEPTH) }))
        } else {
            if holds && kept == greatest {
                return None;
            }
            let near = kept.wrapping_add(step) & mask(width);
            let possible = possible_bits(pool, large, MAX_BITS_DEPTH);
            let far = if is_signed { greatest & possible } else { possible };
            // Up to the next multiple where the last bits cannot be set.
            let last = 1u128.checked_shl(possible.trailing_zeros()).unwrap_or(1);
            let near =
                if near & (last - 1) == 0 { near } else { (near | (last - 1)).wrapping_add(1) & mask(width) };
            let value = match self.random.next() % 8 {
                0 | 1 => far,
                // Sizes and alignments are powers of two.
                2 if near != 0 => near.checked_next_power_of_two().unwrap_or(near) & possible,
                _ => near,
            };
            Some((large, value))
        }
    }

    fn wish_of_arithmetic(
        &mut self,
        pool: &TermPool,
        op: BinaryOp,
        a: Term,
        b: Term,
        wanted: u128,
    ) -> Option<Wish> {
        let width = pool.width(a);
        let within = |value: u128| value & mask(width);
        if matches!(op, BinaryOp::Or | BinaryOp::Add) {
            let (first, second) =
                (possible_bits(pool, a, MAX_BITS_DEPTH), possible_bits(pool, b, MAX_BITS_DEPTH));
            // Bytes put together: each gets its own part.
            if first & second == 0 {
                let fits = wanted & !(first | second) == 0 && self.propagate_target(pool, a, wanted & first);
                return fits.then_some((b, wanted & second));
            }
        }
        let (change, keep) = self.changeable(pool, a, b)?;
        let mut kept = self.value(pool, keep)?;
        // Both operands of `&` need a bit that is wanted, none of `|` may have one that is not; one operand of a sum can
        // be too small for the rest, and a factor may not divide what is wanted.
        let needed = match op {
            BinaryOp::Mul
                if !pool.is_constant(keep) && quotient_of_product(wanted, kept, width).is_none() =>
            {
                1
            }
            BinaryOp::And => kept | wanted,
            BinaryOp::Or => kept & wanted,
            BinaryOp::Add
                if within(wanted.wrapping_sub(kept)) & !possible_bits(pool, change, MAX_BITS_DEPTH) != 0 =>
            {
                wanted & possible_bits(pool, keep, MAX_BITS_DEPTH)
            }
            _ => kept,
        };
        if needed != kept {
            if !self.propagate_target(pool, keep, needed) {
                return None;
            }
            kept = self.value(pool, keep)?;
        }
        let is_left = change == a;
        let by = if kept < u128::from(width) { kept as u32 } else { 0 };
        let value = match op {
            BinaryOp::Add => within(wanted.wrapping_sub(kept)),
            BinaryOp::Sub if is_left => within(wanted.wrapping_add(kept)),
            BinaryOp::Sub => within(kept.wrapping_sub(wanted)),
            BinaryOp::Xor => wanted ^ kept,
            BinaryOp::And => {
                let rest = self.value(pool, change).unwrap_or(0) & !kept;
                (wanted & !kept == 0).then(|| with_sign(pool, change, wanted | rest))?
            }
            BinaryOp::Or => {
                let has = self.value(pool, change).unwrap_or(0);
                (kept & !wanted == 0).then_some((has & wanted) | (wanted & !kept))?
            }
            BinaryOp::Mul => match quotient_of_product(wanted, kept, width) {
                Some(quotient) => quotient,
                // Near is enough where something larger or smaller was asked for.
                None => wanted.checked_div(kept)? + u128::from(self.random.flip()),
            },
            BinaryOp::UDiv | BinaryOp::SDiv if is_left => within(wanted.wrapping_mul(kept)),
            BinaryOp::URem | BinaryOp::SRem if is_left => wanted,
            // The bits that are shifted out stay as they are.
            BinaryOp::Shl if is_left => {
                let lost = self.value(pool, change).unwrap_or(0) & !(mask(width) >> by);
                wanted >> by | lost
            }
            BinaryOp::LShr | BinaryOp::AShr if is_left => {
                let lost = self.value(pool, change).unwrap_or(0) & mask(by);
                within(wanted << by) | lost
            }
            // No inverse in sight: the operand takes the value wanted, zero or one, whatever that gives.
            _ => match self.random.next() % 3 {
                0 => wanted,
                1 => 0,
                _ => 1,
            },
        };
        Some((change, value))
    }

    /// Of two operands, one that can change, and the other.
    fn changeable(&mut self, pool: &TermPool, a: Term, b: Term) -> Option<(Term, Term)> {
        match (pool.is_constant(a), pool.is_constant(b)) {
            (true, true) => None,
            (false, true) => Some((a, b)),
            (true, false) => Some((b, a)),
            (false, false) => Some(self.shuffled(a, b)),
        }
    }

    fn shuffled(&mut self, a: Term, b: Term) -> (Term, Term) {
        if self.random.flip() { (a, b) } else { (b, a) }
    }

    /// Some other value, one that the term can have if that is evident: `flags & 4` is 0 or 4.
    fn another(&mut self, pool: &TermPool, term: Term, value: u128) -> u128 {
        let width = pool.width(term).max(1);
        let constant = |a, b| pool.as_bits(a).or_else(|| pool.as_bits(b));
        match pool.node(term) {
            Node::Binary(BinaryOp::And, a, b) if constant(a, b).is_some_and(|bits| bits != 0) => {
                value ^ self.one_of(constant(a, b).unwrap_or(1))
            }
            Node::Binary(BinaryOp::And | BinaryOp::Or, ..) => {
                value ^ self.one_of(possible_bits(pool, term, MAX_BITS_DEPTH).max(1))
            }
            Node::Binary(BinaryOp::Mul, a, b) if constant(a, b).is_some_and(|factor| factor != 0) => {
                value.wrapping_add(constant(a, b).unwrap_or(1)) & mask(width)
            }
            Node::Binary(BinaryOp::Shl, _, by)
                if pool.as_bits(by).is_some_and(|by| by < u128::from(width)) =>
            {
                value ^ (1 << pool.as_bits(by).unwrap_or(0))
            }
            Node::Extract { of, low, .. } => {
                let possible = possible_bits(pool, of, MAX_BITS_DEPTH) >> low & mask(width);
                value ^ self.one_of(possible.max(1))
            }
            Node::ZeroExtend { of, .. } if value <= mask(pool.width(of)) => self.another(pool, of, value),
            Node::SignExtend { of, .. } => {
                let narrow = pool.width(of);
                signed(self.another(pool, of, value & mask(narrow)), narrow) as u128 & mask(width)
            }
            _ => self.neighbour(value, width),
        }
    }

    fn neighbour(&mut self, value: u128, width: u32) -> u128 {
        let candidate = match self.random.next() % 4 {
            0 => value.wrapping_sub(1),
            1 => u128::from(self.random.next()) << 32 | u128::from(self.random.next()),
            _ => value.wrapping_add(1),
        } & mask(width);
        if candidate == value { (value ^ 1) & mask(width) } else { candidate }
    }

    /// One of the bits that are set.
    fn one_of(&mut self, bits: u128) -> u128 {
        let mut rest = bits;
        for _ in 0..self.random.next() % u64::from(bits.count_ones()) {
            rest &= rest - 1;
        }
        rest & rest.wrapping_neg()
    }
}

/// The bits that can be set, as far as the operators on top tell.
fn possible_bits(pool: &TermPool, term: Term, depth: u32) -> u128 {
    let all = mask(pool.width(term).max(1));
    if depth == 0 {
        return all;
    }
    let below = |term| possible_bits(pool, term, depth - 1);
    match pool.node(term) {
        Node::Bits { .. } => pool.as_bits(term).unwrap_or(all),
        Node::ZeroExtend { of, .. } => below(of),
        Node::Extract { of, low, .. } => below(of) >> low & all,
        Node::Concat(high, low) => below(high) << pool.width(low) | below(low),
        Node::Ite(_, a, b) => below(a) | below(b),
        Node::Binary(BinaryOp::And, a, b) => below(a) & below(b),
        Node::Binary(BinaryOp::Or | BinaryOp::Xor, a, b) => below(a) | below(b),
        Node::Binary(BinaryOp::Mul, a, b) => {
            // A product is smaller than the product of the next powers of two, and ends in the zeros of both.
            let (a, b) = (below(a), below(b));
            let length = (256 - a.leading_zeros() - b.leading_zeros()).min(128);
            let zeros = (a.trailing_zeros() + b.trailing_zeros()).min(127);
            mask(length.max(1)) >> zeros << zeros & all
        }
        Node::Binary(BinaryOp::Shl, a, by) => match pool.as_bits(by) {
            Some(by) if by < 128 => below(a) << by & all,
            _ => all,
        },
        Node::Binary(BinaryOp::LShr, a, by) => match pool.as_bits(by) {
            Some(by) if by < 128 => below(a) >> by,
            _ => all,
        },
        _ => all,
    }
}

/// A value with the same last bits that the term can have: `c & 0xc0`, where a `char` is made an `int`, is 0x80 if `c`
/// is negative, so all bits before are set.
fn with_sign(pool: &TermPool, term: Term, value: u128) -> u128 {
    match pool.node(term) {
        Node::SignExtend { by, of } => {
            let width = pool.width(of);
            signed(value & mask(width), width) as u128 & mask(width + by)
        }
        _ => value,
    }
}

/// A change of any unknown below will not do: most bits are masked.
fn is_made_of_bits(pool: &TermPool, term: Term) -> bool {
    match pool.node(term) {
        Node::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Shl, ..) => true,
        Node::ZeroExtend { of, .. } | Node::SignExtend { of, .. } | Node::Extract { of, .. } => {
            is_made_of_bits(pool, of)
        }
        _ => false,
    }
}

/// A number that times `factor` is `product`, if one is easily found.
fn quotient_of_product(product: u128, factor: u128, width: u32) -> Option<u128> {
    if factor == 0 {
        return (product == 0).then_some(0);
    }
    if product.is_multiple_of(factor) {
        return Some(product / factor);
    }
    if factor & 1 == 0 {
        return None;
    }
    // Newton's iteration for the inverse of an odd number modulo a power of two doubles the right bits each time.
    let mut inverse = factor;
    for _ in 0..6 {
        inverse = inverse.wrapping_mul(2u128.wrapping_sub(factor.wrapping_mul(inverse)));
    }
    Some(product.wrapping_mul(inverse) & mask(width))
}
