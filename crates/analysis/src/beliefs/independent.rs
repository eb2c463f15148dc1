//! Does a use that can fail contradict what is believed elsewhere, or does something else make it safe?

use super::Beliefs;
use super::control::controlling;
use super::related::{self, roots};
use gainsay_ir::passive::Block;
use gainsay_solver::Term;

/// Is all that decides about the use, and not about the other place, evidently about something else than the value?
pub(super) fn is_independent(beliefs: &Beliefs, other: Block, used: usize) -> bool {
    let (function, dominators) = (beliefs.judge.function, &beliefs.dominators);
    let used = &beliefs.uses[used];
    let of_other = controlling(function, other);
    let own_condition = function.blocks[other].branch.map(|branch| branch.condition);
    let own = roots(function, dominators, used.expr);
    controlling(function, used.at.block).difference(&of_other).all(|&edge| {
        let branch = function.blocks[edge].branch;
        // A choice of a loop or of a model, or the test itself.
        let Some(branch) = branch.filter(|branch| Some(branch.condition) != own_condition) else {
            return true;
        };
        if is_other_null(beliefs, edge, used.value) {
            return true;
        }
        // On the other side of a choice that the other place stands below.
        let is_exclusive = of_other.iter().any(|&other| {
            function.blocks[other].branch.is_some_and(|other| other.condition == branch.condition)
        });
        let Some(condition) = related::condition(function, edge) else { return true };
        !is_exclusive && !own.are_related(&roots(function, dominators, condition), function, dominators)
    })
}

/// `hptr == NULL` (the e_chil.c example of section 6 of the paper): that something else is missing does not make this one
/// be there.
fn is_other_null(beliefs: &Beliefs, edge: Block, value: Term) -> bool {
    let bits = u32::from(beliefs.judge.unit.target.pointer_bits);
    let mut tests = beliefs.tests.iter().filter(|test| test.edge == edge);
    tests.any(|test| test.is_zero && test.value != value && beliefs.vc.pool.width(test.value) == bits)
}
