//! Invariants as the Horn solver writes them, over integers, and as bit-vector terms.

mod bits;
mod read;

/// Over the arguments of a point, which are named by their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    Bool(bool),
    Argument(usize),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Same(Box<Formula>, Box<Formula>),
    Choice(Box<Formula>, Box<Formula>, Box<Formula>),
    Compare(Relation, Integer, Integer),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    Equal,
    AtMost,
    Less,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Integer {
    Constant(i128),
    Argument(usize),
    Sum(Vec<Integer>),
    Product(i128, Box<Integer>),
    /// Rounds down; the divisor is positive.
    Quotient(Box<Integer>, i128),
    /// Never negative; the divisor is positive.
    Remainder(Box<Integer>, i128),
    Choice(Box<Formula>, Box<Integer>, Box<Integer>),
}

impl Formula {
    pub(super) fn not(self) -> Formula {
        match self {
            Formula::Bool(value) => Formula::Bool(!value),
            Formula::Not(inner) => *inner,
            Formula::And(all) => Formula::Or(all.into_iter().map(Formula::not).collect()),
            Formula::Or(any) => Formula::And(any.into_iter().map(Formula::not).collect()),
            Formula::Compare(Relation::AtMost, a, b) => Formula::Compare(Relation::Less, b, a),
            Formula::Compare(Relation::Less, a, b) => Formula::Compare(Relation::AtMost, b, a),
            other => Formula::Not(Box::new(other)),
        }
    }

    /// Does it speak of such an argument?
    pub(super) fn mentions(&self, is_it: &dyn Fn(usize) -> bool) -> bool {
        match self {
            Formula::Bool(_) => false,
            Formula::Argument(number) => is_it(*number),
            Formula::Not(inner) => inner.mentions(is_it),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().any(|part| part.mentions(is_it)),
            Formula::Same(a, b) => a.mentions(is_it) || b.mentions(is_it),
            Formula::Choice(c, a, b) => c.mentions(is_it) || a.mentions(is_it) || b.mentions(is_it),
            Formula::Compare(_, a, b) => a.mentions(is_it) || b.mentions(is_it),
        }
    }

    /// The parts that hold together.
    pub fn conjuncts(&self) -> Vec<Formula> {
        match self {
            Formula::And(all) => all.iter().flat_map(Formula::conjuncts).collect(),
            Formula::Bool(true) => Vec::new(),
            other => vec![other.clone()],
        }
    }
}

impl Integer {
    fn mentions(&self, is_it: &dyn Fn(usize) -> bool) -> bool {
        match self {
            Integer::Constant(_) => false,
            Integer::Argument(number) => is_it(*number),
            Integer::Sum(parts) => parts.iter().any(|part| part.mentions(is_it)),
            Integer::Product(_, of) | Integer::Quotient(of, _) | Integer::Remainder(of, _) => {
                of.mentions(is_it)
            }
            Integer::Choice(c, a, b) => c.mentions(is_it) || a.mentions(is_it) || b.mentions(is_it),
        }
    }
}
