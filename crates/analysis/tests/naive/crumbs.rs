//! Crumb variables (horn-clauses-with-loops, sections 5 and 6): one Boolean per edge, set when a run passes it. The solver
//! is asked for complete runs; the crumbs of each run are blocked until there is no other run.
//!
//! The engine asks about one edge at a time, with the edge in the control state. Both must agree.

use gainsay_solver::horn::{Argument, Outcome, Prover, System};
use gainsay_solver::{Budget, Program, Session};
use gainsay_term::{Sort, Term, TermPool};
use std::collections::BTreeSet;

/// Conditions on the crumbs at the end of a run.
#[derive(Default)]
struct Wanted {
    /// The crumbs of runs that were found.
    blocked: Vec<Vec<bool>>,
    /// Values of the first crumbs.
    fixed: Vec<bool>,
}

/// Algorithm 1: the edges on runs that end well; `None` if a question is undecided.
pub fn feasible(
    session: &mut Session,
    spacer: &Program,
    system: &System,
    budget: Budget,
) -> Option<BTreeSet<usize>> {
    let edges = system.pieces.first()?.taken.len();
    let mut ask =
        |wanted: &Wanted| match Prover::new(with_crumbs(system, wanted)).ask(session, spacer, 0, budget) {
            Outcome::Impossible(_) => Some(false),
            Outcome::Possible => Some(true),
            Outcome::Unknown(_) => None,
        };
    let mut feasible = BTreeSet::new();
    let mut wanted = Wanted::default();
    while ask(&wanted)? {
        // The crumbs of one such run, one after the other.
        for _ in 0..edges {
            wanted.fixed.push(true);
            if !ask(&wanted)? {
                *wanted.fixed.last_mut()? = false;
            }
        }
        let crumbs = std::mem::take(&mut wanted.fixed);
        feasible.extend((0..edges).filter(|&edge| crumbs[edge]));
        wanted.blocked.push(crumbs);
    }
    Some(feasible)
}

/// The system with crumbs for its edges as further arguments. Its only edge is the start, so that the question about it
/// is whether a run with the wanted crumbs ends well.
fn with_crumbs(system: &System, wanted: &Wanted) -> System {
    let mut system = system.clone();
    let edges = system.pieces.first().map_or(0, |piece| piece.taken.len());
    for point in &mut system.points {
        let crumb = |edge| Argument { name: format!("crumb {edge}"), sort: Sort::Bool };
        point.arguments.extend((0..edges).map(crumb));
    }
    for piece in &mut system.pieces {
        let pool = &mut piece.pool;
        let mut crumbs = Vec::new();
        for (edge, &taken) in piece.taken.iter().enumerate() {
            let before = match piece.from {
                Some(_) => pool.var(&format!("crumb {edge}"), Sort::Bool),
                None => pool.bool(false),
            };
            piece.before.extend(piece.from.map(|_| before));
            crumbs.push(pool.or(before, taken));
        }
        for step in &mut piece.steps {
            step.after.extend(&crumbs);
        }
        let is_wanted = is_wanted(pool, &crumbs, wanted);
        piece.ended = pool.and(piece.ended, is_wanted);
        piece.taken = vec![pool.bool(piece.from.is_none())];
    }
    system
}

fn is_wanted(pool: &mut TermPool, crumbs: &[Term], wanted: &Wanted) -> Term {
    let mut all = vec![pool.bool(true)];
    for blocked in &wanted.blocked {
        let same = equal(pool, crumbs, blocked);
        all.push(pool.not(same));
    }
    all.push(equal(pool, crumbs, &wanted.fixed));
    pool.all(&all)
}

/// The first crumbs are these.
fn equal(pool: &mut TermPool, crumbs: &[Term], values: &[bool]) -> Term {
    let signs: Vec<Term> = crumbs
        .iter()
        .zip(values)
        .map(|(&crumb, &value)| if value { crumb } else { pool.not(crumb) })
        .collect();
    pool.all(&signs)
}
