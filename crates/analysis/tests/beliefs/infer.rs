//! Figure 1: statement guards and constructor guards.

use crate::guard::Guard;
use crate::syntax::{Constructor, Function, Label, Program, Statement};
use std::collections::BTreeMap;

/// The source of a value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Source {
    /// The label of an assignment `x <- Ci`.
    Assignment(Label),
    Argument(usize),
}

/// CG = (Source x Int) -> Guard; a missing entry is `false`.
pub type ConstructorGuard = BTreeMap<(Source, Constructor), Guard>;

/// Gamma: Var -> CG
pub type Environment = BTreeMap<String, ConstructorGuard>;

/// How the join of rule (6) treats a variable that only one branch assigns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Join {
    /// As the paper defines it. The branch that does not assign the variable contributes its old guards
    /// *unrestricted*, so that after `x <- C1; if a = C1 then x <- C2 else skip` x is C1 under `true`,
    /// although it is also C2 under `a = C1`: this violates the disjointness that section 2.1 requires. It
    /// reports errors on paths that no run takes, and misses real ones, because "not x = C1" becomes false
    /// (tests/beliefs/join.bel).
    Literal,
    /// The guards of each branch only under its own condition: what the paper's text describes, and exact.
    Guarded,
}

/// The derivation for a function: guards before every labelled statement.
pub struct Derivation {
    pub before: BTreeMap<Label, Environment>,
    /// Statement guards.
    pub guards: BTreeMap<Label, Guard>,
    /// The guard `true` of this function.
    pub all: Guard,
}

pub fn infer(program: &Program, function: &Function, join: Join) -> Derivation {
    let all = Guard::all(function.params.len(), program.constructors);
    // Rule (7): an argument is the only source of its own values.
    let fresh = |(index, name): (usize, &String)| {
        let guard = |constructor| ((Source::Argument(index), constructor), all.where_is(index, constructor));
        (name.clone(), program.all_constructors().map(guard).collect())
    };
    let start: Environment = function.params.iter().enumerate().map(fresh).collect();
    let derivation = Derivation { before: BTreeMap::new(), guards: BTreeMap::new(), all: all.clone() };
    let mut rules = Rules { join, derivation };
    rules.statement(&function.body, start, &all);
    rules.derivation
}

struct Rules {
    join: Join,
    derivation: Derivation,
}

impl Rules {
    fn statement(&mut self, statement: &Statement, before: Environment, guard: &Guard) -> Environment {
        let mut note = |label: Label| {
            self.derivation.before.insert(label, before.clone());
            self.derivation.guards.insert(label, guard.clone());
        };
        match statement {
            // (1)
            Statement::Construct(label, x, constructor) => {
                note(*label);
                let only = ((Source::Assignment(*label), *constructor), guard.clone());
                updated(before, x, BTreeMap::from([only]))
            }
            // (2)
            Statement::Copy(label, x, y) => {
                note(*label);
                let values = read(&before, y).iter();
                let copied = values.map(|(value, under)| (value.clone(), under.and(guard))).collect();
                updated(before, x, copied)
            }
            // (3) and (4)
            Statement::Check(label, ..) | Statement::Call(label, ..) | Statement::Skip(label) => {
                note(*label);
                before
            }
            // (5)
            Statement::Seq(first, second) => {
                let between = self.statement(first, before, guard);
                self.statement(second, between, guard)
            }
            // (6)
            Statement::If(label, x, constructor, then, otherwise) => {
                note(*label);
                let condition = is(&before, x, *constructor);
                let yes = self.statement(then, before.clone(), &guard.and(&condition));
                let no = self.statement(otherwise, before, &guard.and_not(&condition));
                match self.join {
                    Join::Literal => union(yes, no),
                    Join::Guarded => {
                        let yes = under(yes, |guard| guard.and(&condition));
                        union(yes, under(no, |guard| guard.and_not(&condition)))
                    }
                }
            }
        }
    }
}

fn read<'a>(environment: &'a Environment, x: &str) -> &'a ConstructorGuard {
    environment.get(x).unwrap_or_else(|| panic!("`{x}` is read and was never assigned"))
}

/// The condition under which `x` is this constructor, from any source.
pub fn is(environment: &Environment, x: &str, constructor: Constructor) -> Guard {
    let values = read(environment, x).iter().filter(|((_, other), _)| *other == constructor);
    values.fold(Guard::none(), |so_far, (_, guard)| so_far.or(guard))
}

/// The condition under which `x` is this constructor from this source.
pub fn is_from(environment: &Environment, x: &str, source: &Source, constructor: Constructor) -> Guard {
    read(environment, x).get(&(source.clone(), constructor)).cloned().unwrap_or_default()
}

fn updated(mut environment: Environment, x: &str, values: ConstructorGuard) -> Environment {
    environment.insert(x.to_owned(), values);
    environment
}

fn under(mut environment: Environment, restrict: impl Fn(&Guard) -> Guard) -> Environment {
    for guard in environment.values_mut().flat_map(BTreeMap::values_mut) {
        *guard = restrict(guard);
    }
    environment
}

fn union(mut left: Environment, right: Environment) -> Environment {
    for (x, values) in right {
        let entry = left.entry(x).or_default();
        for (value, guard) in values {
            let so_far = entry.entry(value).or_default();
            *so_far = so_far.or(&guard);
        }
    }
    left
}
