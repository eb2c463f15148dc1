//! The formula of the runs that end well, as several analyses use it.

use crate::edges::Boundary;
use crate::limits::{FULL_BUDGET_WEIGHT, LEAST_EFFORT};
use gainsay_ir::passive::{Block, Function};
use gainsay_solver::{Budget, Session};
use gainsay_term::Term;
use gainsay_vc::Vc;

/// The budget for a question about this formula. A conflict in a large formula costs more, so fewer are allowed.
pub(crate) fn scaled(budget: Budget, vc: &Vc) -> Budget {
    let effort = (budget.effort.saturating_mul(FULL_BUDGET_WEIGHT) / vc.weight().max(FULL_BUDGET_WEIGHT))
        .max(LEAST_EFFORT.min(budget.effort));
    Budget { effort, ..budget }
}

/// Starts the session afresh with "a run ends well".
pub(crate) fn assert_run(session: &mut Session, vc: &Vc) {
    session.reset();
    for &fact in &vc.facts {
        session.assert(&vc.pool, fact);
    }
    session.assert(&vc.pool, vc.ended);
}

/// The condition of the edge, narrowed to its boundary value.
pub(crate) fn boundary_term(vc: &mut Vc, boundary: Boundary) -> Option<Term> {
    let (smaller, larger) = (vc.term(boundary.smaller)?, vc.term(boundary.larger)?);
    Some(boundary.condition(&mut vc.pool, smaller, larger))
}

/// "The run passes the block."
pub(crate) fn taken(vc: &Vc, block: Block) -> Term {
    vc.taken[block].expect("every block is encoded")
}

pub(super) fn entry(function: &Function) -> Block {
    function.blocks.keys().next().expect("a function has a block")
}
