//! Shortens invariants: parts that a proof does not need are removed, so that explanations show the reason.

use super::check::{Checked, Found, check};
use super::{Clause, Formula, Predicate, Readings, System};
use crate::answer::Budget;
use crate::limits::{MAX_TRIM_ATTEMPTS, TRIM_CONFLICTS};
use crate::session::Session;
use std::collections::BTreeSet;

/// Removes parts of conjunctions and disjunctions, one by one, while the rest is still a proof.
pub(super) fn trim(
    session: &mut Session,
    system: &mut System,
    clauses: &[Clause],
    readings: &Readings,
    found: &mut Found,
    budget: Budget,
) {
    let mut attempts = 0;
    let loop_budget = session.effort() + TRIM_CONFLICTS.min(budget.effort);
    let mut try_it = |system: &mut System, candidate: &Found| {
        attempts += 1;
        attempts <= MAX_TRIM_ATTEMPTS
            && session.effort() < loop_budget
            && check(session, system, clauses, readings, candidate, budget) == Checked::Hold
    };
    let predicates: Vec<Predicate> = found.keys().copied().collect();
    for &predicate in &predicates {
        let whole = found[&predicate].clone();
        if whole == Formula::Bool(true) {
            continue;
        }
        found.insert(predicate, Formula::Bool(true));
        if !try_it(system, found) {
            found.insert(predicate, whole);
        }
    }
    for name in names(system) {
        let fewer = without_name(system, found, &name);
        if fewer != *found && try_it(system, &fewer) {
            *found = fewer;
        }
    }
    for &predicate in &predicates {
        // A change renumbers the parts, so continue after the ones tried.
        let mut number = 0;
        while let Some(shorter) = without(&found[&predicate], number) {
            let before = found.insert(predicate, shorter);
            if !try_it(system, found) {
                found.extend(before.map(|before| (predicate, before)));
                number += 1;
            }
        }
    }
    for formula in found.values_mut() {
        *formula = flat(formula.clone());
    }
}

/// The arguments of all points.
fn names(system: &System) -> BTreeSet<String> {
    system.points.iter().flat_map(|point| &point.arguments).map(|argument| argument.name.clone()).collect()
}

/// The formula without all parts that mention one variable.
fn without_name(system: &System, found: &Found, name: &str) -> Found {
    let shorter = |(&predicate, formula): (&Predicate, &Formula)| {
        let arguments = &system.points[predicate.point].arguments;
        let is_it = |number: usize| arguments.get(number).is_some_and(|argument| argument.name == name);
        let kept = formula.conjuncts().into_iter().filter(|part| !part.mentions(&is_it));
        (predicate, flat(Formula::And(kept.collect())))
    };
    found.iter().map(shorter).collect()
}

/// The formula without the part of that number, counting the members of all conjunctions and disjunctions.
fn without(formula: &Formula, number: usize) -> Option<Formula> {
    let mut left = number;
    let shorter = remove(formula, &mut left);
    shorter.map(flat)
}

fn remove(formula: &Formula, left: &mut usize) -> Option<Formula> {
    let (parts, is_and) = match formula {
        Formula::And(parts) => (parts, true),
        Formula::Or(parts) => (parts, false),
        _ => return None,
    };
    let again = |parts: Vec<Formula>| if is_and { Formula::And(parts) } else { Formula::Or(parts) };
    for (index, part) in parts.iter().enumerate() {
        let mut others = parts.clone();
        if *left == 0 {
            others.remove(index);
            return Some(again(others));
        }
        *left -= 1;
        if let Some(shorter) = remove(part, left) {
            others[index] = shorter;
            return Some(again(others));
        }
    }
    None
}

/// Conjunctions in conjunctions are one.
fn flat(formula: Formula) -> Formula {
    match formula {
        Formula::And(parts) => {
            let mut all = Vec::new();
            for part in parts.into_iter().map(flat) {
                match part {
                    Formula::And(inner) => all.extend(inner),
                    Formula::Bool(true) => {}
                    other if all.contains(&other) => {}
                    other => all.push(other),
                }
            }
            match all.len() {
                0 => Formula::Bool(true),
                1 => all.remove(0),
                _ => Formula::And(all),
            }
        }
        Formula::Or(parts) => {
            let mut any = Vec::new();
            for part in parts.into_iter().map(flat) {
                match part {
                    Formula::Or(inner) => any.extend(inner),
                    Formula::Bool(false) => {}
                    other if any.contains(&other) => {}
                    other => any.push(other),
                }
            }
            match any.len() {
                0 => Formula::Bool(false),
                1 => any.remove(0),
                _ => Formula::Or(any),
            }
        }
        other => other,
    }
}
