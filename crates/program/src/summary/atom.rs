//! Comparisons of a value with a constant, and what one says about another.

use gainsay_ir::eval::signed;
use serde::{Deserialize, Serialize};

/// A comparison of an argument with a constant of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Atom {
    pub param: u32,
    pub op: AtomOp,
    pub value: u128,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum AtomOp {
    Eq,
    Ne,
    SLt,
    SLe,
    SGt,
    SGe,
    ULt,
    ULe,
    UGt,
    UGe,
}

impl AtomOp {
    pub fn negated(self) -> AtomOp {
        match self {
            AtomOp::Eq => AtomOp::Ne,
            AtomOp::Ne => AtomOp::Eq,
            AtomOp::SLt => AtomOp::SGe,
            AtomOp::SGe => AtomOp::SLt,
            AtomOp::SLe => AtomOp::SGt,
            AtomOp::SGt => AtomOp::SLe,
            AtomOp::ULt => AtomOp::UGe,
            AtomOp::UGe => AtomOp::ULt,
            AtomOp::ULe => AtomOp::UGt,
            AtomOp::UGt => AtomOp::ULe,
        }
    }

    /// `a op b` as `b op' a`.
    pub fn swapped(self) -> AtomOp {
        match self {
            AtomOp::Eq | AtomOp::Ne => self,
            AtomOp::SLt => AtomOp::SGt,
            AtomOp::SGt => AtomOp::SLt,
            AtomOp::SLe => AtomOp::SGe,
            AtomOp::SGe => AtomOp::SLe,
            AtomOp::ULt => AtomOp::UGt,
            AtomOp::UGt => AtomOp::ULt,
            AtomOp::ULe => AtomOp::UGe,
            AtomOp::UGe => AtomOp::ULe,
        }
    }

    /// As in C.
    pub fn sign(self) -> &'static str {
        match self {
            AtomOp::Eq => "==",
            AtomOp::Ne => "!=",
            AtomOp::SLt | AtomOp::ULt => "<",
            AtomOp::SLe | AtomOp::ULe => "<=",
            AtomOp::SGt | AtomOp::UGt => ">",
            AtomOp::SGe | AtomOp::UGe => ">=",
        }
    }

    pub fn is_unsigned(self) -> bool {
        matches!(self, AtomOp::ULt | AtomOp::ULe | AtomOp::UGt | AtomOp::UGe)
    }
}

impl Atom {
    pub fn negated(self) -> Atom {
        Atom { op: self.op.negated(), ..self }
    }

    /// Is it true of a value of that many bits?
    pub fn holds(self, value: u128, bits: u16) -> bool {
        let (a, b) = (value, self.value);
        let (sa, sb) = (signed(a, bits), signed(b, bits));
        match self.op {
            AtomOp::Eq => a == b,
            AtomOp::Ne => a != b,
            AtomOp::SLt => sa < sb,
            AtomOp::SLe => sa <= sb,
            AtomOp::SGt => sa > sb,
            AtomOp::SGe => sa >= sb,
            AtomOp::ULt => a < b,
            AtomOp::ULe => a <= b,
            AtomOp::UGt => a > b,
            AtomOp::UGe => a >= b,
        }
    }

    /// Can both never hold at once, of one parameter of that many bits? "No" may be wrong.
    pub fn excludes(self, other: Atom, bits: u16) -> bool {
        if self.param != other.param {
            return false;
        }
        match (self.op, other.op) {
            (AtomOp::Eq, _) => !other.holds(self.value, bits),
            (_, AtomOp::Eq) => !self.holds(other.value, bits),
            (AtomOp::Ne, _) | (_, AtomOp::Ne) => {
                // The only value that the order leaves is the one that is not allowed.
                let (ne, order) = if self.op == AtomOp::Ne { (self, other) } else { (other, self) };
                order.only_value(bits) == Some(ne.value)
            }
            (a, b) if a.is_unsigned() != b.is_unsigned() => false,
            _ => {
                let (a, b) = (self.interval(bits), other.interval(bits));
                a.1 < b.0 || b.1 < a.0
            }
        }
    }

    pub fn implies(self, other: Atom, bits: u16) -> bool {
        self.excludes(other.negated(), bits)
    }

    fn only_value(self, bits: u16) -> Option<u128> {
        let (low, high) = self.interval(bits);
        (low == high).then_some(low as u128 & gainsay_ir::eval::mask(bits))
    }

    /// Of an order, in its own reading; wider than 127 bits, unsigned, is cut off at the top on both sides alike.
    fn interval(self, bits: u16) -> (i128, i128) {
        let (least, most, value) = if self.op.is_unsigned() {
            let cut = |value: u128| i128::try_from(value).unwrap_or(i128::MAX);
            (0, cut(gainsay_ir::eval::mask(bits)), cut(self.value))
        } else {
            let most = (gainsay_ir::eval::mask(bits) >> 1) as i128;
            (-most - 1, most, signed(self.value, bits))
        };
        match self.op {
            AtomOp::SLt | AtomOp::ULt => (least, value.saturating_sub(1)),
            AtomOp::SLe | AtomOp::ULe => (least, value),
            AtomOp::SGt | AtomOp::UGt => (value.saturating_add(1), most),
            AtomOp::SGe | AtomOp::UGe => (value, most),
            AtomOp::Eq | AtomOp::Ne => (least, most),
        }
    }

    /// The signed readings that it leaves, for an order of signed numbers or an equation.
    pub fn signed_range(self, bits: u16) -> Option<(i128, i128)> {
        match self.op {
            AtomOp::Eq => Some((signed(self.value, bits), signed(self.value, bits))),
            AtomOp::SLt | AtomOp::SLe | AtomOp::SGt | AtomOp::SGe => Some(self.interval(bits)),
            // Unsigned values below half of all are the same signed ones.
            AtomOp::ULt | AtomOp::ULe
                if self.interval(bits).1 <= (gainsay_ir::eval::mask(bits) >> 1) as i128 =>
            {
                Some(self.interval(bits))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use AtomOp::*;

    const OPS: [AtomOp; 10] = [Eq, Ne, SLt, SLe, SGt, SGe, ULt, ULe, UGt, UGe];

    /// All pairs of atoms over three bits, against all values.
    #[test]
    fn what_excludes_has_no_value_in_common() {
        let atoms = OPS.iter().flat_map(|&op| (0..8).map(move |value| Atom { param: 0, op, value }));
        let atoms: Vec<Atom> = atoms.collect();
        for &a in &atoms {
            assert!((0..8).all(|value| a.holds(value, 3) != a.negated().holds(value, 3)));
            if let Some((low, high)) = a.signed_range(3) {
                let inside = |value: u128| (low..=high).contains(&signed(value, 3));
                assert!((0..8).all(|value| !a.holds(value, 3) || inside(value)), "{a:?}");
            }
            for &b in &atoms {
                let meets = (0..8).any(|value| a.holds(value, 3) && b.holds(value, 3));
                assert!(!(a.excludes(b, 3) && meets), "{a:?} {b:?}");
            }
        }
    }
}
