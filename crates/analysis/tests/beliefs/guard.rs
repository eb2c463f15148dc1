//! Guards (section 2.1). The atoms of a function's guards are "argument x is Ci", and an argument is exactly
//! one constructor, so a guard is represented by the set of argument values for which it holds.
//! Satisfiability and equivalence are set operations.

use crate::syntax::Constructor;
use std::collections::BTreeSet;

/// The values of a function's arguments.
pub type Arguments = Vec<Constructor>;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Guard(pub BTreeSet<Arguments>);

impl Guard {
    /// `true`: all values of this many arguments.
    pub fn all(arguments: usize, constructors: usize) -> Guard {
        let mut all = vec![Arguments::new()];
        for _ in 0..arguments {
            let extend = |values: &Arguments| -> Vec<Arguments> {
                (1..=constructors).map(|value| [values.as_slice(), &[value]].concat()).collect()
            };
            all = all.iter().flat_map(extend).collect();
        }
        Guard(all.into_iter().collect())
    }

    /// `false`
    pub fn none() -> Guard {
        Guard::default()
    }

    pub fn and(&self, other: &Guard) -> Guard {
        Guard(self.0.intersection(&other.0).cloned().collect())
    }

    pub fn or(&self, other: &Guard) -> Guard {
        Guard(self.0.union(&other.0).cloned().collect())
    }

    pub fn and_not(&self, other: &Guard) -> Guard {
        Guard(self.0.difference(&other.0).cloned().collect())
    }

    pub fn is_satisfiable(&self) -> bool {
        !self.0.is_empty()
    }

    pub fn implies(&self, other: &Guard) -> bool {
        self.0.is_subset(&other.0)
    }

    /// The formula for "argument `index` is `constructor`", within this guard.
    pub fn where_is(&self, index: usize, constructor: Constructor) -> Guard {
        Guard(self.0.iter().filter(|values| values[index] == constructor).cloned().collect())
    }
}
