//! The value of a term under an assignment, to check models without a solver.

use super::bits::{self, mask};
use super::{FOLDED_WIDTH, Node, Sort, Term, TermPool, Value};
use std::collections::BTreeMap;

/// Values of variables.
pub type Assignment = BTreeMap<Term, Value>;

/// `None` if a variable has no value, or a bit-vector is wider than [`FOLDED_WIDTH`].
pub fn eval(pool: &TermPool, term: Term, assignment: &Assignment) -> Option<Value> {
    let mut values: BTreeMap<Term, Value> = BTreeMap::new();
    for term in pool.subterms(&[term]) {
        let value = match pool.node(term) {
            Node::Var(_) => assignment.get(&term)?.clone(),
            node => compute(pool, term, node, &values)?,
        };
        values.insert(term, value);
    }
    values.remove(&term)
}

fn compute(pool: &TermPool, term: Term, node: Node, values: &BTreeMap<Term, Value>) -> Option<Value> {
    let truth = |term: Term| values.get(&term)?.as_bool();
    let number = |term: Term| values.get(&term)?.as_bits();
    let array = |term: Term| match values.get(&term)? {
        Value::Array(array) => Some(array),
        Value::Bool(_) | Value::Bits { .. } => None,
    };
    let width = match pool.sort(term) {
        Sort::BitVec(width) if width > FOLDED_WIDTH => return None,
        Sort::BitVec(width) => width,
        Sort::Bool | Sort::Array { .. } => 0,
    };
    let as_bits = |value: u128| Value::Bits { width, value: value & mask(width) };
    Some(match node {
        Node::Var(_) => return None,
        Node::Bool(value) => Value::Bool(value),
        Node::Bits { value, .. } => as_bits(value),
        Node::Not(a) => Value::Bool(!truth(a)?),
        Node::And(a, b) => Value::Bool(truth(a)? & truth(b)?),
        Node::Or(a, b) => Value::Bool(truth(a)? | truth(b)?),
        Node::Xor(a, b) => Value::Bool(truth(a)? ^ truth(b)?),
        Node::Eq(a, b) => Value::Bool(values.get(&a)? == values.get(&b)?),
        Node::Ite(condition, yes, no) => values.get(if truth(condition)? { &yes } else { &no })?.clone(),
        Node::BvNot(a) => as_bits(!number(a)?),
        Node::Neg(a) => as_bits(number(a)?.wrapping_neg()),
        Node::Binary(op, a, b) => as_bits(bits::binary(op, width, number(a)?, number(b)?)),
        Node::Compare(op, a, b) => Value::Bool(bits::compare(op, pool.width(a), number(a)?, number(b)?)),
        Node::Concat(high, low) => as_bits((number(high)? << pool.width(low)) | number(low)?),
        Node::Extract { low, of, .. } => as_bits(number(of)? >> low),
        Node::ZeroExtend { of, .. } => as_bits(number(of)?),
        Node::SignExtend { of, .. } => as_bits(bits::signed(number(of)?, pool.width(of)) as u128),
        Node::Select(of, index) => as_bits(array(of)?.select(number(index)?)),
        Node::Store(of, index, element) => {
            let mut array = array(of)?.clone();
            array.store(number(index)?, number(element)?);
            Value::Array(array)
        }
    })
}
