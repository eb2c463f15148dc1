//! The state of the search at one block: what is known on one path.

use super::Values;
use crate::limits::MAX_IRRELEVANT_TESTS;
use crate::precondition::Input;
use crate::summary::GlobalName;
use gainsay_ir::gc::{Block, Class, Function, Unit, Var};
use std::collections::BTreeSet;
use std::rc::Rc;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PathValue {
    Known(Rc<Input>),
    Unknown(Unknown),
}

/// A value that is no input: the result of a command, or the contents of memory of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unknown {
    Command(u32, u32),
    Memory(u32),
    /// One value or another, at a block.
    Joined(u32, u32),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Guard {
    pub(super) test: PathTest,
    /// The test was written by a programmer who expects both outcomes.
    pub(super) testifies: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PathTest {
    Known(Rc<Input>),
    Other {
        /// Outcomes of one condition share the number.
        condition: u32,
        is_true: bool,
        unknowns: BTreeSet<Unknown>,
        /// It depends on inputs as well.
        is_mixed: bool,
    },
}

impl PathTest {
    fn is_other_side(&self, other: &PathTest) -> bool {
        match (self, other) {
            (PathTest::Known(a), PathTest::Known(b)) => a.is_negation_of(b),
            (
                PathTest::Other { condition: a, is_true: x, .. },
                PathTest::Other { condition: b, is_true: y, .. },
            ) => a == b && x != y,
            _ => false,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct PathState {
    pub(super) values: Values,
    /// In order of appearance.
    pub(super) guards: Vec<Guard>,
    /// Tests whose outcome does not matter.
    pub(super) tested: Vec<Rc<Input>>,
    /// Checks that were passed.
    pub(super) passed_checks: Vec<Rc<Input>>,
    /// Calls that may not return, in order of their names.
    pub(super) may_not_return: Vec<GlobalName>,
    /// Alias classes that may have been written; `None`: any.
    pub(super) written: Option<BTreeSet<Class>>,
}

impl PathState {
    /// The state restricted to live variables.
    pub(super) fn going_on(&self, live: &BTreeSet<Var>) -> PathState {
        let is_live = |(var, _): &(&Var, &PathValue)| live.contains(var);
        let values = self.values.iter().filter(is_live).map(|(&var, value)| (var, value.clone())).collect();
        let PathState { guards, tested, passed_checks, may_not_return, written, .. } = self;
        PathState {
            values,
            guards: guards.clone(),
            tested: tested.clone(),
            passed_checks: passed_checks.clone(),
            may_not_return: may_not_return.clone(),
            written: written.clone(),
        }
    }

    pub(super) fn at_entry(f: &Function) -> PathState {
        let param = |(i, &var): (usize, &Var)| {
            (var, PathValue::Known(Rc::new(Input::Param(i as u32, f.vars[var].ty))))
        };
        PathState {
            values: f.params.iter().enumerate().map(param).collect(),
            guards: Vec::new(),
            tested: Vec::new(),
            passed_checks: Vec::new(),
            may_not_return: Vec::new(),
            written: Some(BTreeSet::new()),
        }
    }

    pub(super) fn write(&mut self, class: Class) {
        self.written.iter_mut().for_each(|written| {
            written.insert(class);
        });
    }

    /// Is memory of that class unchanged?
    pub(super) fn keeps(&self, unit: &Unit, class: Class) -> bool {
        let is_apart = |written: &Class| unit.classes[*written].is_apart(&unit.classes[class]);
        self.written.as_ref().is_some_and(|written| written.iter().all(is_apart))
    }

    pub(super) fn knows(&self, holds: &Input, pointer_bits: u16) -> bool {
        let tests = self.guards.iter().filter_map(|guard| match &guard.test {
            PathTest::Known(test) => Some(test),
            PathTest::Other { .. } => None,
        });
        let fails = holds.clone().negated();
        tests.chain(&self.passed_checks).any(|test| **test == *holds || test.excludes(&fails, pointer_bits))
    }

    /// Can the run continue?
    pub(super) fn assume(&mut self, guard: Guard, pointer_bits: u16) -> bool {
        let PathTest::Known(test) = &guard.test else { return true };
        if self.knows(&Input::clone(test).negated(), pointer_bits) {
            return false;
        }
        if !self.knows(test, pointer_bits) || guard.testifies {
            self.guards.push(guard);
        }
        true
    }

    /// The tests on the path over the inputs; `None` if another test depends on the inputs or correlates with a third.
    pub(super) fn conditions(&self) -> Option<Vec<Input>> {
        let mut conditions: Vec<Input> = Vec::new();
        let mut seen: BTreeSet<Unknown> = BTreeSet::new();
        for guard in &self.guards {
            match &guard.test {
                PathTest::Known(test) => {
                    if !conditions.contains(test) {
                        conditions.push(Input::clone(test));
                    }
                }
                PathTest::Other { is_mixed: true, .. } => return None,
                PathTest::Other { unknowns, .. } => {
                    if unknowns.iter().any(|unknown| !seen.insert(*unknown)) {
                        return None;
                    }
                }
            }
        }
        Some(conditions)
    }

    /// One state for both, if the outcome of a single test is all that tells them apart.
    fn merged(&self, other: &PathState, block: Block) -> Option<PathState> {
        if self.guards.len() != other.guards.len() {
            return None;
        }
        let mut guards = Vec::new();
        let mut tested = self.tested.clone();
        tested.extend(other.tested.iter().filter(|test| !self.tested.contains(test)).cloned());
        for (a, b) in self.guards.iter().zip(&other.guards) {
            if a.test == b.test {
                guards.push(Guard { testifies: a.testifies && b.testifies, ..a.clone() });
            } else if !a.test.is_other_side(&b.test) {
                return None;
            } else if let (PathTest::Known(test), true) = (&a.test, a.testifies && b.testifies) {
                tested.push(test.clone());
            }
        }
        // With more than one differing test, the two paths do not cover all outcomes.
        if guards.len() + 1 < self.guards.len() {
            return None;
        }
        let mut values = Values::new();
        for (&var, a) in &self.values {
            let joined = Unknown::Joined(block.as_u32(), var.as_u32());
            let value = match (a, other.values.get(&var)?) {
                (a, b) if a == b => a.clone(),
                (PathValue::Unknown(_), PathValue::Unknown(_)) => PathValue::Unknown(joined),
                _ => return None,
            };
            values.insert(var, value);
        }
        let mut may_not_return = self.may_not_return.clone();
        may_not_return
            .extend(other.may_not_return.iter().filter(|name| !self.may_not_return.contains(name)).cloned());
        may_not_return.sort();
        let passed_checks =
            self.passed_checks.iter().filter(|test| other.passed_checks.contains(test)).cloned().collect();
        let written = match (&self.written, &other.written) {
            (Some(a), Some(b)) => Some(a.union(b).copied().collect()),
            _ => None,
        };
        tested.truncate(MAX_IRRELEVANT_TESTS);
        Some(PathState { values, guards, tested, passed_checks, may_not_return, written })
    }
}

/// Adds a state to those that reach a block.
pub(super) fn arrive(states: &mut Vec<PathState>, mut state: PathState, block: Block, most: usize) {
    // What was merged may merge again.
    while let Some((at, merged)) =
        states.iter().enumerate().find_map(|(at, other)| Some((at, other.merged(&state, block)?)))
    {
        states.remove(at);
        state = merged;
    }
    if states.len() < most {
        states.push(state);
    }
}
