//! Inconsistency errors (papers/semantic-inconsistency-inference, Definition 5): of two uses of one value, one
//! cannot fail because of a test, and the other can.

use super::ask::Asker;
use super::independent::is_independent;
use super::report::{self, Contradiction};
use super::said::is_made_to_say;
use super::uses::{Kind, Use};
use super::{Beliefs, Test};
use gainsay_ir::check::Check;
use gainsay_ir::gc::Origin;
use gainsay_ir::passive::{CmdKind, Effect};
use gainsay_report::finding::Finding;
use gainsay_term::Term;
use std::collections::BTreeSet;

pub(super) fn find(beliefs: &mut Beliefs, asker: &mut Asker) -> Vec<Finding> {
    let tested = beliefs.tests.iter().filter(|test| is_evidence(beliefs, test));
    let values: BTreeSet<Term> = tested.map(|test| test.value).collect();
    let mut found = Vec::new();
    for value in values {
        let pairs = protected(beliefs, value);
        if pairs.is_empty() {
            continue;
        }
        let is_open = |&used: &usize| beliefs.uses[used].value == value && !beliefs.is_tested_above(used);
        let open: Vec<usize> = (0..beliefs.uses.len()).filter(is_open).collect();
        // The first that fails is the one to look at.
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

/// Does the test say that whoever wrote it expects zero? A loop runs until there is nothing left; a macro, as a
/// callee, serves others too (section 4 of the paper); and an assertion says the opposite.
fn is_evidence(beliefs: &Beliefs, test: &Test) -> bool {
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

/// The tests of the value, each with the first use that it protects.
fn protected(beliefs: &Beliefs, value: Term) -> Vec<(usize, usize)> {
    let tests = beliefs.tests.iter().enumerate();
    let tests = tests.filter(|(_, test)| {
        test.value == value && is_evidence(beliefs, test) && !is_made_to_say(beliefs, test)
    });
    let protects = |(number, test): (usize, &Test)| {
        let mut uses = beliefs.uses.iter();
        let used = uses.position(|one| {
            one.value == value && beliefs.is_above(test.edge, one.at.block) && !is_release(beliefs, one)
        })?;
        Some((number, used))
    };
    tests.filter_map(protects).collect()
}

/// `if (p) destroy(p);`: whoever cleans up does not know what there is.
fn is_release(beliefs: &Beliefs, used: &Use) -> bool {
    if matches!(used.kind, Kind::Check(Check::NullDereference | Check::NullCall | Check::DivisionByZero)) {
        return false;
    }
    let cmds = &beliefs.judge.function.blocks[used.at.block].cmds[used.at.index as usize..];
    cmds.iter().take_while(|cmd| cmd.loc == used.loc).any(|cmd| match &cmd.kind {
        CmdKind::Update { effect: Effect::Call(call), .. } => call.args.len() == 1 && call.result.is_none(),
        CmdKind::Update { effect: Effect::Free { .. }, .. } => true,
        _ => false,
    })
}
