//! Finds the parts of the invariants that a proof needs: those that exclude the end, and those that keep these inductive.
//! Unsat cores are used, so this costs one query for each needed part.

use super::check::Found;
use super::{Clause, Formula, Predicate, Reading, Readings, System};
use crate::answer::{Answer, Budget};
use crate::session::Session;
use gainsay_term::Term;
use std::collections::{BTreeMap, BTreeSet};

/// A part of an invariant: which of the conjuncts of the predicate.
type Part = (Predicate, usize);

/// The invariants, which hold, without what is not needed; `None` if a question got no answer.
pub(super) fn needed(
    session: &mut Session,
    system: &mut System,
    clauses: &[Clause],
    readings: &Readings,
    found: &Found,
    budget: Budget,
) -> Option<Found> {
    let parts: BTreeMap<Predicate, Vec<Formula>> =
        found.iter().map(|(&predicate, formula)| (predicate, formula.conjuncts())).collect();
    let mut needed: BTreeSet<Part> = BTreeSet::new();
    let mut todo: Vec<Option<Part>> = vec![None];
    while let Some(goal) = todo.pop() {
        for clause in clauses {
            let excluded = match (goal, &clause.head) {
                (None, None) => None,
                (Some((predicate, number)), Some((head, after))) if predicate == *head => {
                    let part = &parts[head][number];
                    Some(term(system, clause.piece, *head, part, after, readings)?)
                }
                _ => continue,
            };
            for part in core(session, system, clause, excluded, readings, &parts, budget)? {
                if needed.insert(part) {
                    todo.push(Some(part));
                }
            }
        }
    }
    let kept = |(&predicate, all): (&Predicate, &Vec<Formula>)| {
        let numbered = all.iter().enumerate();
        let kept = numbered.filter(|(number, _)| needed.contains(&(predicate, *number)));
        (predicate, Formula::And(kept.map(|(_, part)| part.clone()).collect()))
    };
    Some(parts.iter().map(kept).collect())
}

/// The parts of the body's invariant with which the clause cannot end without what is excluded.
fn core(
    session: &mut Session,
    system: &mut System,
    clause: &Clause,
    excluded: Option<Term>,
    readings: &Readings,
    parts: &BTreeMap<Predicate, Vec<Formula>>,
    budget: Budget,
) -> Option<Vec<Part>> {
    let mut assumed: Vec<(Part, Term)> = Vec::new();
    if let Some(body) = clause.body {
        let before = system.pieces[clause.piece].before.clone();
        for (number, part) in parts[&body].iter().enumerate() {
            assumed.push(((body, number), term(system, clause.piece, body, part, &before, readings)?));
        }
    }
    let data = &mut system.pieces[clause.piece];
    if let Some((part, _)) = assumed.iter().find(|(_, term)| data.pool.as_bool(*term) == Some(false)) {
        return Some(vec![*part]);
    }
    let mut question = clause.when;
    if let Some(excluded) = excluded {
        let not = data.pool.not(excluded);
        question = data.pool.and(question, not);
    }
    if data.pool.as_bool(question) == Some(false) {
        return Some(Vec::new());
    }
    session.reset();
    data.facts.iter().for_each(|&fact| session.assert(&data.pool, fact));
    session.assert(&data.pool, question);
    let terms: Vec<Term> = assumed.iter().map(|(_, term)| *term).collect();
    let terms: Vec<Term> = terms.into_iter().filter(|&term| data.pool.as_bool(term).is_none()).collect();
    if session.check(&data.pool, &terms, budget) != Answer::Unsat {
        return None;
    }
    let core = session.core()?.to_vec();
    Some(assumed.into_iter().filter(|(_, term)| core.contains(term)).map(|(part, _)| part).collect())
}

fn term(
    system: &mut System,
    piece: usize,
    predicate: Predicate,
    formula: &Formula,
    values: &[Term],
    readings: &Readings,
) -> Option<Term> {
    let arguments: Vec<(Term, Reading)> =
        values.iter().copied().zip(readings.arguments[predicate.point].iter().copied()).collect();
    formula.term(&mut system.pieces[piece].pool, &arguments)
}
