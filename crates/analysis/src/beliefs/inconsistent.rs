//! Inconsistency errors (semantic-inconsistency-inference, Definition 5): of two uses of one value, a test
//! keeps one from failing, and the other can fail.

use super::ask::BeliefAsker;
use super::independent::is_independent;
use super::output_only::is_output_only;
use super::report::{self, Contradiction};
use super::uses::{Use, UseKind};
use super::{Beliefs, ZeroTest};
use gainsay_ir::check::Check;
use gainsay_ir::gc::Origin;
use gainsay_ir::passive::{CmdKind, Effect};
use gainsay_report::finding::Finding;
use gainsay_term::Term;
use std::collections::BTreeSet;

pub(super) fn find(beliefs: &mut Beliefs, asker: &mut BeliefAsker) -> Vec<Finding> {
    let tested = beliefs.tests.iter().filter(|test| expects_zero(beliefs, test));
    let values: BTreeSet<Term> = tested.map(|test| test.value).collect();
    let mut found = Vec::new();
    for value in values {
        let pairs = protected(beliefs, value);
        if pairs.is_empty() {
            continue;
        }
        let is_open = |&used: &usize| beliefs.uses[used].value == value && !beliefs.is_tested_above(used);
        let open: Vec<usize> = (0..beliefs.uses.len()).filter(is_open).collect();
        // Only the first failing use is reported: later ones have the same cause.
        for used in open {
            let contradicts =
                |&&(test, _): &&(usize, usize)| is_independent(beliefs, beliefs.tests[test].edge, used);
            let Some(&(test, protected)) = pairs.iter().find(contradicts) else { continue };
            if asker.can_fail(beliefs, used, &[]) {
                found.extend(report::inconsistent(beliefs, Contradiction { test, protected, used }));
                break;
            }
        }
    }
    found
}

/// Whether the test suggests that its author expects zero. Three kinds of tests do not: a loop condition,
/// which is tested until nothing is left; a test in a macro, which serves all its users, as a callee does
/// (section 4); and an assertion, which states the opposite.
fn expects_zero(beliefs: &Beliefs, test: &ZeroTest) -> bool {
    let function = beliefs.judge.function;
    let condition = function.blocks[test.edge].branch.map(|branch| branch.condition);
    let goes_on_otherwise = || {
        function.blocks.iter().any(|(block, data)| {
            let is_other = data.branch.map(|branch| branch.condition) == condition && block != test.edge;
            is_other && beliefs.can_end.contains(block)
        })
    };
    !test.is_zero
        && !test.in_macro
        && !matches!(test.origin, Origin::LoopEntry | Origin::LoopAgain)
        && goes_on_otherwise()
}

/// The tests of the value that expect zero, each with the first use that it protects.
fn protected(beliefs: &Beliefs, value: Term) -> Vec<(usize, usize)> {
    let tests = beliefs.tests.iter().enumerate();
    let tests = tests.filter(|(_, test)| {
        test.value == value && expects_zero(beliefs, test) && !is_output_only(beliefs, test)
    });
    let protects = |(number, test): (usize, &ZeroTest)| {
        let mut uses = beliefs.uses.iter();
        let used = uses.position(|one| {
            one.value == value && beliefs.is_above(test.edge, one.at.block) && !is_cleanup(beliefs, one)
        })?;
        Some((number, used))
    };
    tests.filter_map(protects).collect()
}

/// `if (p) destroy(p);`: cleanup code tests because it runs in several states, not because zero is expected
/// in this one.
fn is_cleanup(beliefs: &Beliefs, used: &Use) -> bool {
    if matches!(used.kind, UseKind::Check(Check::NullDereference | Check::NullCall | Check::DivisionByZero)) {
        return false;
    }
    let cmds = &beliefs.judge.function.blocks[used.at.block].cmds[used.at.index as usize..];
    cmds.iter().take_while(|cmd| cmd.loc == used.loc).any(|cmd| match &cmd.kind {
        CmdKind::Update { effect: Effect::Call(call), .. } => call.args.len() == 1 && call.result.is_none(),
        CmdKind::Update { effect: Effect::Free { .. }, .. } => true,
        _ => false,
    })
}
