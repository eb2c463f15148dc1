//! The second opinion on a contradiction: the statements of the core alone, asked of another solver.

use crate::explain::{Core, Subject, premises};
use gainsay_ir::gc;
use gainsay_ir::passive::Function;
use gainsay_solver::encode::{Options, encode_with};
use gainsay_solver::{Budget, Confirmation, Session, confirm_unsat};

pub(crate) fn confirm(
    session: &mut Session,
    unit: &gc::Unit,
    function: &Function,
    subject: Subject,
    core: &Core,
    budget: Budget,
) -> Confirmation {
    let options = Options { by_statement: true, ..Options::default() };
    let mut vc = encode_with(unit, function, &options);
    let mut terms = premises(&mut vc, subject);
    if core.needs_end {
        terms.push(vc.ended);
    }
    let is_wanted = |statement| core.before.contains(statement) || core.after.contains(statement);
    terms.extend(vc.switches.iter().filter(|(statement, _)| is_wanted(statement)).map(|&(_, switch)| switch));
    confirm_unsat(session, &vc.pool, &terms, budget)
}
