//! Definitions 6 and 7 and their application at calls (section 4.3).

use crate::errors::{Analysis, Sink, analyse};
use crate::guard::Guard;
use crate::infer::{Derivation, Join, Source, is};
use crate::syntax::{Constructor, Label, Program, Statement};
use std::collections::{BTreeMap, BTreeSet};

/// "Argument k is Ch", of a function.
pub type Atom = (usize, Constructor);

/// S(a, j): the atoms that all hold whenever the function fails because its argument a is Cj. A missing entry
/// is `false`: the function never fails for that reason.
pub type Summary = BTreeMap<Atom, BTreeSet<Atom>>;

/// The summaries of all functions, callees first.
pub fn summaries(program: &Program, join: Join) -> Vec<Summary> {
    let mut done: Vec<Option<Summary>> = vec![None; program.functions.len()];
    for function in 0..program.functions.len() {
        complete(program, function, join, &mut done);
    }
    done.into_iter().flatten().collect()
}

fn complete(program: &Program, function: usize, join: Join, done: &mut Vec<Option<Summary>>) {
    if done[function].is_some() {
        return;
    }
    let mut callees = Vec::new();
    program.functions[function].body.walk(&mut |statement| {
        if let Statement::Call(_, callee, _) = statement {
            callees.push(*callee);
        }
    });
    for callee in callees {
        complete(program, callee, join, done);
    }
    let analysis = analyse(program, function, done, join);
    done[function] = Some(correlated(program, function, &analysis));
}

/// Definition 6: whether `condition` holds whenever a sink fails because argument `index` is `constructor`.
fn is_necessary(analysis: &Analysis, (index, constructor): Atom, condition: &Guard) -> bool {
    let fails = |sink| analysis.fails_from(sink, &Source::Argument(index), constructor);
    analysis.sinks.iter().map(fails).filter(Guard::is_satisfiable).all(|failure| failure.implies(condition))
}

fn atoms(program: &Program, function: usize) -> Vec<Atom> {
    let params = 0..program.functions[function].params.len();
    params.flat_map(|index| program.all_constructors().map(move |constructor| (index, constructor))).collect()
}

/// Definition 7, without entries for arguments that never fail, for which it yields the conjunction of all
/// atoms.
fn correlated(program: &Program, function: usize, analysis: &Analysis) -> Summary {
    let all = atoms(program, function);
    let formula = |&(index, constructor): &Atom| analysis.derivation.all.where_is(index, constructor);
    let conjunction = |atom: &Atom| -> BTreeSet<Atom> {
        all.iter().filter(|other| is_necessary(analysis, *atom, &formula(other))).copied().collect()
    };
    let can_fail = |conjunction: &BTreeSet<Atom>| {
        let all = analysis.derivation.all.clone();
        conjunction.iter().fold(all, |so_far, atom| so_far.and(&formula(atom))).is_satisfiable()
    };
    let entries = all.iter().map(|atom| (*atom, conjunction(atom)));
    entries.filter(|(_, conjunction)| can_fail(conjunction)).collect()
}

/// The simple strategy of section 4.1: `true` wherever `false` is not correct.
pub fn simple(program: &Program, function: usize, analysis: &Analysis) -> BTreeSet<Atom> {
    let can_fail = |atom: &Atom| !is_necessary(analysis, *atom, &Guard::none());
    atoms(program, function).into_iter().filter(can_fail).collect()
}

/// Section 4.3: a call stands for `if a = Cj then check (one of the atoms does not hold)`, for each entry of the summary. Checks
/// that cannot fail are not tracked outside of their function (section 4).
pub fn stubs(summary: &Summary, label: Label, arguments: &[String], derivation: &Derivation) -> Vec<Sink> {
    let environment = &derivation.before[&label];
    let holds = |&(index, constructor): &Atom| is(environment, &arguments[index], constructor);
    let mut sinks: BTreeMap<usize, Sink> = BTreeMap::new();
    for (&(index, constructor), atoms) in summary {
        let condition = atoms.iter().fold(derivation.all.clone(), |so_far, atom| so_far.and(&holds(atom)));
        let new = || Sink { label, variable: arguments[index].clone(), rejects: BTreeMap::new() };
        sinks.entry(index).or_insert_with(new).rejects.insert(constructor, condition);
    }
    sinks.into_values().collect()
}
