//! What is known on a way.

use super::Values;
use crate::precondition::Input;
use crate::summary::GlobalName;
use gainsay_ir::gc::{Block, Class, Function, Unit, Var};
use std::collections::BTreeSet;
use std::rc::Rc;

/// More tests that do not matter are not remembered.
const MOST_TESTED: usize = 3;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Known(Rc<Input>),
    Unknown(Unknown),
}

/// Something that is no input: what a command gave, or what memory of a class holds by now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unknown {
    Command(u32, u32),
    Memory(u32),
    /// One value or another, at a block.
    Joined(u32, u32),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Guard {
    pub(super) test: Test,
    /// Somebody wrote it who is prepared for both outcomes.
    pub(super) testifies: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Test {
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

impl Test {
    fn is_other_side(&self, other: &Test) -> bool {
        match (self, other) {
            (Test::Known(a), Test::Known(b)) => a.is_negation_of(b),
            (Test::Other { condition: a, is_true: x, .. }, Test::Other { condition: b, is_true: y, .. }) => {
                a == b && x != y
            }
            _ => false,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) values: Values,
    /// In order of appearance.
    pub(super) guards: Vec<Guard>,
    /// Tests whose outcome does not matter.
    pub(super) tested: Vec<Rc<Input>>,
    /// Checks that were passed.
    pub(super) held: Vec<Rc<Input>>,
    /// Calls that are not known to come back, in order of their names.
    pub(super) passed: Vec<GlobalName>,
    /// Classes of memory that may not be what they were; `None`: any.
    pub(super) written: Option<BTreeSet<Class>>,
}

impl State {
    /// The same on the way to a block where only some variables are read.
    pub(super) fn going_on(&self, live: &BTreeSet<Var>) -> State {
        let is_live = |(var, _): &(&Var, &Value)| live.contains(var);
        let values = self.values.iter().filter(is_live).map(|(&var, value)| (var, value.clone())).collect();
        let State { guards, tested, held, passed, written, .. } = self;
        State {
            values,
            guards: guards.clone(),
            tested: tested.clone(),
            held: held.clone(),
            passed: passed.clone(),
            written: written.clone(),
        }
    }

    pub(super) fn at_entry(f: &Function) -> State {
        let param =
            |(i, &var): (usize, &Var)| (var, Value::Known(Rc::new(Input::Param(i as u32, f.vars[var].ty))));
        State {
            values: f.params.iter().enumerate().map(param).collect(),
            guards: Vec::new(),
            tested: Vec::new(),
            held: Vec::new(),
            passed: Vec::new(),
            written: Some(BTreeSet::new()),
        }
    }

    pub(super) fn write(&mut self, class: Class) {
        self.written.iter_mut().for_each(|written| {
            written.insert(class);
        });
    }

    /// Is memory of that class what it was?
    pub(super) fn keeps(&self, unit: &Unit, class: Class) -> bool {
        let is_apart = |written: &Class| unit.classes[*written].is_apart(&unit.classes[class]);
        self.written.as_ref().is_some_and(|written| written.iter().all(is_apart))
    }

    pub(super) fn knows(&self, holds: &Input, pointer_bits: u16) -> bool {
        let tests = self.guards.iter().filter_map(|guard| match &guard.test {
            Test::Known(test) => Some(test),
            Test::Other { .. } => None,
        });
        let fails = holds.clone().negated();
        tests.chain(&self.held).any(|test| **test == *holds || test.excludes(&fails, pointer_bits))
    }

    /// Can the run go on?
    pub(super) fn assume(&mut self, guard: Guard, pointer_bits: u16) -> bool {
        let Test::Known(test) = &guard.test else { return true };
        if self.knows(&Input::clone(test).negated(), pointer_bits) {
            return false;
        }
        if !self.knows(test, pointer_bits) || guard.testifies {
            self.guards.push(guard);
        }
        true
    }

    /// The tests on the way, if those that cannot be said have nothing to do with inputs or each other.
    pub(super) fn said(&self) -> Option<Vec<Input>> {
        let mut said: Vec<Input> = Vec::new();
        let mut seen: BTreeSet<Unknown> = BTreeSet::new();
        for guard in &self.guards {
            match &guard.test {
                Test::Known(test) => {
                    if !said.contains(test) {
                        said.push(Input::clone(test));
                    }
                }
                Test::Other { is_mixed: true, .. } => return None,
                Test::Other { unknowns, .. } => {
                    if unknowns.iter().any(|unknown| !seen.insert(*unknown)) {
                        return None;
                    }
                }
            }
        }
        Some(said)
    }

    /// One state for both, if the outcome of a single test is all that tells them apart.
    fn merged(&self, other: &State, block: Block) -> Option<State> {
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
            } else if let (Test::Known(test), true) = (&a.test, a.testifies && b.testifies) {
                tested.push(test.clone());
            }
        }
        // More than one test: the ways exclude each other, but others may be missing.
        if guards.len() + 1 < self.guards.len() {
            return None;
        }
        let mut values = Values::new();
        for (&var, a) in &self.values {
            let joined = Unknown::Joined(block.as_u32(), var.as_u32());
            let value = match (a, other.values.get(&var)?) {
                (a, b) if a == b => a.clone(),
                (Value::Unknown(_), Value::Unknown(_)) => Value::Unknown(joined),
                _ => return None,
            };
            values.insert(var, value);
        }
        let mut passed = self.passed.clone();
        passed.extend(other.passed.iter().filter(|name| !self.passed.contains(name)).cloned());
        passed.sort();
        let held = self.held.iter().filter(|test| other.held.contains(test)).cloned().collect();
        let written = match (&self.written, &other.written) {
            (Some(a), Some(b)) => Some(a.union(b).copied().collect()),
            _ => None,
        };
        tested.truncate(MOST_TESTED);
        Some(State { values, guards, tested, held, passed, written })
    }
}

/// Adds a state to those that come to a block.
pub(super) fn arrive(states: &mut Vec<State>, mut state: State, block: Block, most: usize) {
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
