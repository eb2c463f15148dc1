//! The second opinion on a contradiction: the statements of the core alone, asked of another solver.

use crate::explain::{Core, Subject, options_of_core, premises};
use gainsay_ir::gc;
use gainsay_ir::passive::Function;
use gainsay_solver::{Budget, Confirmation, Session, confirm_unsat};
use gainsay_vc::encode_with;

pub(crate) fn confirm(
    session: &mut Session,
    unit: &gc::Unit,
    function: &Function,
    subject: Subject,
    core: &Core,
    budget: Budget,
) -> Confirmation {
    let mut vc = encode_with(unit, function, &options_of_core(function, subject, core));
    let mut terms = premises(&mut vc, subject);
    if core.needs_end {
        terms.push(vc.ended);
    }
    confirm_unsat(session, &vc.pool, &terms, budget)
}
