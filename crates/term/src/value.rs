//! What a term stands for under an assignment.

use super::Sort;
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    Bool(bool),
    Bits {
        width: u32,
        /// Masked to the width.
        value: u128,
    },
    Array(ArrayValue),
}

impl Value {
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            Value::Bits { .. } | Value::Array(_) => None,
        }
    }

    pub fn as_bits(&self) -> Option<u128> {
        match self {
            Value::Bits { value, .. } => Some(*value),
            Value::Bool(_) | Value::Array(_) => None,
        }
    }
}

/// An array that holds `rest` wherever no entry says otherwise.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ArrayValue {
    pub sort: Sort,
    rest: u128,
    /// Never holds `rest`, so that equal arrays are equal values (unless every index has an entry, which no
    /// index of more than a few bits reaches).
    entries: BTreeMap<u128, u128>,
}

impl ArrayValue {
    pub fn new(index: u32, element: u32, rest: u128) -> ArrayValue {
        ArrayValue { sort: Sort::Array { index, element }, rest, entries: BTreeMap::new() }
    }

    pub fn select(&self, index: u128) -> u128 {
        self.entries.get(&index).copied().unwrap_or(self.rest)
    }

    pub fn store(&mut self, index: u128, element: u128) {
        if element == self.rest {
            self.entries.remove(&index);
        } else {
            self.entries.insert(index, element);
        }
    }
}
