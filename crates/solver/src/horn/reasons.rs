//! Finds the statements that a proof needs: the pieces are encoded again with a switch for every statement, and unsat cores of
//! the clauses name the switches.

use super::check::{Found, breaks};
use super::clauses::{Clause, clauses, reached};
use super::{Formula, Invariants, System};
use crate::answer::{Answer, Budget};
use crate::minimal_core::minimal_core;
use crate::session::Session;
use gainsay_term::Term;

/// Switches of one piece without which one of its clauses would not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Used {
    pub piece: usize,
    /// The edge was passed before the piece begins.
    pub passed: bool,
    /// The edge is passed in the piece.
    pub takes: bool,
    pub switches: Vec<Term>,
}

/// `plain` is the system that the invariants are of, `switched` the same with switches; of each piece, the switches in
/// order of preference for removal. `None` if a question got no answer.
pub fn reasons(
    session: &mut Session,
    plain: &mut System,
    switched: &mut System,
    switches: &[Vec<Term>],
    edge: usize,
    invariants: &Invariants,
    budget: Budget,
) -> Option<Vec<Used>> {
    let mut found: Found = invariants.of.clone();
    // Points that no run reaches are false; points that never lead to the end are true.
    let reached = reached(plain, edge);
    let all: Vec<Clause> = clauses(switched, edge);
    for clause in &all {
        for predicate in clause.body.into_iter().chain(clause.head.iter().map(|(head, _)| *head)) {
            found.entry(predicate).or_insert(Formula::Bool(reached.contains(&predicate)));
        }
    }
    let mut used = Vec::new();
    for clause in &all {
        let question = breaks(switched, clause, &invariants.readings, &found)?;
        let data = &switched.pieces[clause.piece];
        if data.pool.as_bool(question) == Some(false) {
            continue;
        }
        session.reset();
        data.facts.iter().for_each(|&fact| session.assert(&data.pool, fact));
        session.assert(&data.pool, question);
        if session.check(&data.pool, &switches[clause.piece], budget) != Answer::Unsat {
            return None;
        }
        let core: Vec<Term> = session.core()?.to_vec();
        let candidates: Vec<Term> =
            switches[clause.piece].iter().copied().filter(|switch| core.contains(switch)).collect();
        let minimal = minimal_core(session, &data.pool, &candidates, budget);
        let passed = clause.body.is_some_and(|body| body.passed);
        let takes = !passed && clause.head.as_ref().is_none_or(|(head, _)| head.passed);
        used.push(Used { piece: clause.piece, passed, takes, switches: minimal.terms });
    }
    Some(used)
}
