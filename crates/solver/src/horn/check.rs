//! Checks invariants on the exact bit-vector formulas, so that their source need not be trusted.

use super::{Clause, Formula, Predicate, Reading, Readings, System};
use crate::answer::{Answer, Budget, Reason};
use crate::session::Session;
use gainsay_term::{Term, Value};
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Checked {
    /// They hold at the start, every piece keeps them, and they exclude the end.
    Hold,
    Fail,
    Unknown(Reason),
}

pub(super) type Found = BTreeMap<Predicate, Formula>;

/// Asks for each piece whether one of its clauses can be broken.
pub(super) fn check(
    session: &mut Session,
    system: &mut System,
    clauses: &[Clause],
    readings: &Readings,
    found: &Found,
    budget: Budget,
) -> Checked {
    for piece in 0..system.pieces.len() {
        let mut broken = Vec::new();
        for clause in clauses.iter().filter(|clause| clause.piece == piece) {
            match breaks(system, clause, &readings.arguments, found) {
                Some(term) => broken.push(term),
                None => {
                    let why = "its invariants need numbers that are too wide".to_owned();
                    return Checked::Unknown(Reason::Incomplete(why));
                }
            }
        }
        let pool = &mut system.pieces[piece].pool;
        let any = pool.any(&broken);
        if pool.as_bool(any) == Some(false) {
            continue;
        }
        let data = &system.pieces[piece];
        session.reset();
        data.facts.iter().for_each(|&fact| session.assert(&data.pool, fact));
        session.assert(&data.pool, any);
        match session.check(&data.pool, &[], budget) {
            Answer::Unsat => {}
            Answer::Sat => return Checked::Fail,
            Answer::Unknown(reason) => return Checked::Unknown(reason),
        }
    }
    Checked::Hold
}

/// The clause does not hold: body and condition, but not the head.
pub(super) fn breaks(
    system: &mut System,
    clause: &Clause,
    readings: &[Vec<Reading>],
    found: &Found,
) -> Option<Term> {
    let mut all = vec![clause.when];
    if let Some(body) = clause.body {
        let before = system.pieces[clause.piece].before.clone();
        all.push(holds(system, clause.piece, body, &found[&body], &before, readings)?);
    }
    if let Some((head, after)) = &clause.head {
        let head = holds(system, clause.piece, *head, &found[head], after, readings)?;
        all.push(system.pieces[clause.piece].pool.not(head));
    }
    Some(system.pieces[clause.piece].pool.all(&all))
}

fn holds(
    system: &mut System,
    piece: usize,
    predicate: Predicate,
    formula: &Formula,
    terms: &[Term],
    readings: &[Vec<Reading>],
) -> Option<Term> {
    let arguments: Vec<_> = terms.iter().copied().zip(readings[predicate.point].iter().copied()).collect();
    formula.term(&mut system.pieces[piece].pool, &arguments)
}

/// Drops the parts of invariants that are not kept, until the rest is (Houdini). The rest may be too weak, but
/// holds. `None` if a question got no answer.
pub(super) fn keep_what_holds(
    session: &mut Session,
    system: &mut System,
    clauses: &[Clause],
    readings: &Readings,
    found: &Found,
    budget: Budget,
) -> Option<Found> {
    let mut parts: BTreeMap<Predicate, Vec<Formula>> =
        found.iter().map(|(&predicate, formula)| (predicate, formula.conjuncts())).collect();
    loop {
        let mut has_changed = false;
        for clause in clauses {
            let Some((head, after)) = &clause.head else { continue };
            while drop_broken(session, system, clause, (*head, after), readings, &mut parts, budget)? {
                has_changed = true;
            }
        }
        if !has_changed {
            break;
        }
    }
    Some(parts.into_iter().map(|(predicate, parts)| (predicate, Formula::And(parts))).collect())
}

fn drop_broken(
    session: &mut Session,
    system: &mut System,
    clause: &Clause,
    (head, after): (Predicate, &[Term]),
    readings: &Readings,
    parts: &mut BTreeMap<Predicate, Vec<Formula>>,
    budget: Budget,
) -> Option<bool> {
    if parts[&head].is_empty() {
        return Some(false);
    }
    let mut all = vec![clause.when];
    if let Some(body) = clause.body {
        let before = system.pieces[clause.piece].before.clone();
        let formula = Formula::And(parts[&body].clone());
        all.push(holds(system, clause.piece, body, &formula, &before, &readings.arguments)?);
    }
    let mut heads = Vec::new();
    for part in &parts[&head] {
        heads.push(holds(system, clause.piece, head, part, after, &readings.arguments)?);
    }
    let data = &mut system.pieces[clause.piece];
    let kept = data.pool.all(&heads);
    all.push(data.pool.not(kept));
    let question = data.pool.all(&all);
    if data.pool.as_bool(question) == Some(false) {
        return Some(false);
    }
    session.reset();
    data.facts.iter().for_each(|&fact| session.assert(&data.pool, fact));
    session.assert(&data.pool, question);
    match session.check(&data.pool, &[], budget) {
        Answer::Unsat => Some(false),
        Answer::Sat => {
            let values = session.values(&data.pool, &heads).ok()?;
            let mut values = values.iter();
            let before = parts[&head].len();
            if let Some(of_head) = parts.get_mut(&head) {
                of_head.retain(|_| values.next() == Some(&Value::Bool(true)));
            }
            (parts[&head].len() < before).then_some(true)
        }
        Answer::Unknown(_) => None,
    }
}
