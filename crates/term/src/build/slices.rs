//! Cutting bit-vectors and putting them together. What is put together and cut again is the original, which is
//! how a value written to memory byte by byte is read back whole.

use crate::bits::signed;
use crate::{FOLDED_WIDTH, Node, Term, TermPool};

impl TermPool {
    /// `high` holds the high bits.
    pub fn concat(&mut self, high: Term, low: Term) -> Term {
        let (high_width, low_width) = (self.width(high), self.width(low));
        debug_assert!(high_width > 0 && low_width > 0, "concatenation of something else than bit-vectors");
        let width = high_width + low_width;
        match (self.node(high), self.node(low)) {
            (Node::Bits { value: a, .. }, Node::Bits { value: b, .. }) if width <= FOLDED_WIDTH => {
                self.bits(width, (a << low_width) | b)
            }
            (Node::Bits { value: 0, .. }, _) => self.zero_extend(high_width, low),
            (
                Node::Extract { high: top, low: above, of },
                Node::Extract { high: below, low: bottom, of: same },
            ) if of == same && above == below + 1 => self.extract(top, bottom, of),
            _ => self.vector(Node::Concat(high, low), width),
        }
    }

    /// Bits `high` down to `low` of a bit-vector, both included.
    pub fn extract(&mut self, high: u32, low: u32, of: Term) -> Term {
        let whole = self.width(of);
        debug_assert!(low <= high && high < whole, "extract {high}..{low} of {whole} bits");
        let width = high - low + 1;
        if width == whole {
            return of;
        }
        match self.node(of) {
            Node::Bits { value, .. } => self.bits(width, value >> low),
            Node::Extract { low: inner_low, of: inner, .. } => {
                self.extract(high + inner_low, low + inner_low, inner)
            }
            Node::Concat(upper, lower) => {
                let split = self.width(lower);
                if high < split {
                    self.extract(high, low, lower)
                } else if low >= split {
                    self.extract(high - split, low - split, upper)
                } else {
                    let upper = self.extract(high - split, 0, upper);
                    let lower = self.extract(split - 1, low, lower);
                    self.concat(upper, lower)
                }
            }
            Node::ZeroExtend { of: inner, .. } => {
                let split = self.width(inner);
                if high < split {
                    self.extract(high, low, inner)
                } else if low >= split {
                    self.bits(width, 0)
                } else {
                    let lower = self.extract(split - 1, low, inner);
                    self.zero_extend(high + 1 - split, lower)
                }
            }
            Node::SignExtend { of: inner, .. } if high < self.width(inner) => self.extract(high, low, inner),
            Node::SignExtend { of: inner, .. } if low == 0 => {
                self.sign_extend(width - self.width(inner), inner)
            }
            _ => self.vector(Node::Extract { high, low, of }, width),
        }
    }

    /// `by` zeros above.
    pub fn zero_extend(&mut self, by: u32, of: Term) -> Term {
        let width = self.width(of) + by;
        match self.node(of) {
            _ if by == 0 => of,
            Node::Bits { value, .. } if width <= FOLDED_WIDTH => self.bits(width, value),
            Node::ZeroExtend { by: inner_by, of: inner } => self.zero_extend(by + inner_by, inner),
            _ => self.vector(Node::ZeroExtend { by, of }, width),
        }
    }

    /// `by` copies of the sign above.
    pub fn sign_extend(&mut self, by: u32, of: Term) -> Term {
        let width = self.width(of) + by;
        match self.node(of) {
            _ if by == 0 => of,
            Node::Bits { width: narrow, value } if width <= FOLDED_WIDTH => {
                self.bits(width, signed(value, narrow) as u128)
            }
            Node::SignExtend { by: inner_by, of: inner } => self.sign_extend(by + inner_by, inner),
            // Its sign is zero.
            Node::ZeroExtend { .. } => self.zero_extend(by, of),
            _ => self.vector(Node::SignExtend { by, of }, width),
        }
    }
}
