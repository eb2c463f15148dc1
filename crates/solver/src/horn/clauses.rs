//! The clauses of a question about one edge: every point before and after the edge was passed.

use super::System;
use gainsay_term::Term;
use std::collections::BTreeSet;

/// A point, before or after the edge was passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Predicate {
    pub point: usize,
    pub passed: bool,
}

/// If the body holds of the arguments before, and the condition, then the head holds of the arguments after.
#[derive(Clone, Debug)]
pub struct Clause {
    pub piece: usize,
    /// `None` at the start.
    pub body: Option<Predicate>,
    pub when: Term,
    /// `None` means that this must not happen.
    pub head: Option<(Predicate, Vec<Term>)>,
}

/// The clauses that matter: their bodies can be reached from the start, and the end from their heads.
pub fn clauses(system: &mut System, edge: usize) -> Vec<Clause> {
    let mut all = all_clauses(system, edge);
    let reached = closure(&all, |clause| (clause.body, clause.head.as_ref().map(|(head, _)| *head)));
    all.retain(|clause| clause.body.is_none_or(|body| reached.contains(&body)));
    let leading = closure(&all, |clause| (clause.head.as_ref().map(|(head, _)| *head), clause.body));
    all.retain(|clause| clause.head.as_ref().is_none_or(|(head, _)| leading.contains(head)));
    all
}

/// What the start leads to, as far as is plain to see.
pub(super) fn reached(system: &mut System, edge: usize) -> BTreeSet<Predicate> {
    let all = all_clauses(system, edge);
    closure(&all, |clause| (clause.body, clause.head.as_ref().map(|(head, _)| *head)))
}

/// The clauses whose condition is not plainly false.
fn all_clauses(system: &mut System, edge: usize) -> Vec<Clause> {
    let mut all = Vec::new();
    for (piece, data) in system.pieces.iter_mut().enumerate() {
        let before = data.from.map(|point| Predicate { point, passed: false });
        let after = data.from.map(|point| Predicate { point, passed: true });
        let pool = &mut data.pool;
        let taken = data.taken[edge];
        let not_taken = pool.not(taken);
        for step in &data.steps {
            let head = |passed| Some((Predicate { point: step.to, passed }, step.after.clone()));
            let without = pool.and(step.when, not_taken);
            all.push(Clause { piece, body: before, when: without, head: head(false) });
            let with = pool.and(step.when, taken);
            all.push(Clause { piece, body: before, when: with, head: head(true) });
            if after.is_some() {
                all.push(Clause { piece, body: after, when: step.when, head: head(true) });
            }
        }
        let when = pool.and(data.ended, taken);
        all.push(Clause { piece, body: before, when, head: None });
        if after.is_some() {
            all.push(Clause { piece, body: after, when: data.ended, head: None });
        }
    }
    all.retain(|clause| system.pieces[clause.piece].pool.as_bool(clause.when) != Some(false));
    all
}

/// What is reached from `None` along the clauses, each read as an arrow.
fn closure(
    clauses: &[Clause],
    arrow: impl Fn(&Clause) -> (Option<Predicate>, Option<Predicate>),
) -> BTreeSet<Predicate> {
    let mut reached = BTreeSet::new();
    loop {
        let before = reached.len();
        for clause in clauses {
            let (from, to) = arrow(clause);
            if from.is_none_or(|from| reached.contains(&from)) {
                reached.extend(to);
            }
        }
        if reached.len() == before {
            return reached;
        }
    }
}
