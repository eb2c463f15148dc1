//! Whether a use that can fail contradicts a belief elsewhere, or another condition may make it safe.

use super::Beliefs;
use super::control::controlling;
use super::related::{self, ValueRoots, roots};
use super::uses::Use;
use crate::edges::blocks_of_runs_through;
use crate::explain::reachable;
use cranelift_entity::EntitySet;
use gainsay_ir::passive::Block;
use gainsay_term::Term;

/// Whether all branches that decide about the use, and not about the other place, are unrelated to the value.
pub(super) fn is_independent(beliefs: &Beliefs, other: Block, used: usize) -> bool {
    let (function, dominators) = (beliefs.judge.function, &beliefs.dominators);
    let used = &beliefs.uses[used];
    let of_other = controlling(function, other);
    let branch = |edge: Block| function.blocks[edge].branch.map(|branch| branch.condition);
    let own_condition = branch(other);
    let own = roots(function, dominators, used.expr);
    let of_use = controlling(function, used.at.block);
    // Choices of a cut loop or of a model have no condition, and the test itself is not a further condition.
    let more = of_use.difference(&of_other).copied();
    let more: Vec<Block> =
        more.filter(|&edge| branch(edge).is_some() && branch(edge) != own_condition).collect();
    let is_about_something_else = |&edge: &Block| {
        // The other place is below another outcome of the same branch.
        let is_exclusive = || of_other.iter().any(|&other| branch(other) == branch(edge));
        let of_condition =
            related::condition(function, edge).map(|condition| roots(function, dominators, condition));
        let is_related =
            || of_condition.as_ref().is_some_and(|it| own.may_be_related(it, function, dominators));
        let are_both_given = || own.is_param() && of_condition.as_ref().is_some_and(ValueRoots::is_param);
        is_other_null(beliefs, edge, used.value) && !are_both_given() || !is_exclusive() && !is_related()
    };
    more.iter().all(is_about_something_else) && (more.is_empty() || !is_test_compound(beliefs, used))
}

/// `if (!p && x) return;`: where zero is found, another condition also decides whether the run reaches the
/// use, and that condition may be related to those of the use.
fn is_test_compound(beliefs: &Beliefs, used: &Use) -> bool {
    let function = beliefs.judge.function;
    let reaching = blocks_of_runs_through(function, used.at.block);
    let zero = beliefs.tests.iter().filter(|test| test.is_zero && test.value == used.value);
    let after_zero: Vec<EntitySet<Block>> = zero.map(|test| reachable(function, test.edge)).collect();
    function.blocks.iter().filter(|(block, _)| *block < used.at.block).any(|(block, data)| {
        let targets = data.next.targets();
        let n_reaching = targets.iter().filter(|&&target| reaching.contains(target)).count();
        // A branch that every run to the use passes is not part of the test.
        (1..targets.len()).contains(&n_reaching)
            && after_zero.iter().any(|blocks| blocks.contains(block))
            && !beliefs.is_above(block, used.at.block)
    })
}

/// `hptr == NULL` (the e_chil.c example, section 6): that another pointer is NULL does not imply that this
/// one is not.
fn is_other_null(beliefs: &Beliefs, edge: Block, value: Term) -> bool {
    let bits = u32::from(beliefs.judge.unit.target.pointer_bits);
    let mut tests = beliefs.tests.iter().filter(|test| test.edge == edge);
    tests.any(|test| test.is_zero && test.value != value && beliefs.vc.pool.width(test.value) == bits)
}
