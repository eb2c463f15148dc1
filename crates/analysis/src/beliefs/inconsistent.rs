//! Inconsistency errors (papers/semantic-inconsistency-inference, Definition 5): of two uses of one value, one cannot fail
//! because of a test, and the other can.

use super::ask::Asker;
use super::report::{self, Contradiction};
use super::{Beliefs, Test};
use gainsay_ir::gc::Origin;
use gainsay_report::finding::Finding;
use gainsay_solver::Term;
use std::collections::BTreeSet;

pub(super) fn find(beliefs: &mut Beliefs, asker: &mut Asker) -> Vec<Finding> {
    let values: BTreeSet<Term> =
        beliefs.tests.iter().filter(|test| is_evidence(test)).map(|test| test.value).collect();
    let mut found = Vec::new();
    for value in values {
        let Some((test, protected)) = protected(beliefs, value) else { continue };
        let open: Vec<usize> =
            (0..beliefs.uses.len()).filter(|&used| is_open(beliefs, value, used)).collect();
        // The first that fails is the one to look at.
        let failing = open.into_iter().find(|&used| asker.can_fail(beliefs, used, &[]));
        if let Some(used) = failing {
            found.extend(report::inconsistent(beliefs, Contradiction { test, protected, used }));
        }
    }
    found
}

/// Does the test say that whoever wrote it expects zero? A loop runs until there is nothing left, and a macro, as a
/// callee, serves others too (section 4 of the paper).
fn is_evidence(test: &Test) -> bool {
    !test.is_zero && !test.in_macro && !matches!(test.origin, Origin::LoopEntry | Origin::LoopAgain)
}

/// A test of the value, and a use that it protects.
fn protected(beliefs: &Beliefs, value: Term) -> Option<(usize, usize)> {
    let tests = beliefs.tests.iter().enumerate();
    let mut tests = tests.filter(|(_, test)| test.value == value && is_evidence(test));
    tests.find_map(|(number, test)| {
        let mut uses = beliefs.uses.iter();
        let used = uses.position(|one| one.value == value && beliefs.is_above(test.edge, one.at.block))?;
        Some((number, used))
    })
}

/// Is it a use of the value that no test stands before?
fn is_open(beliefs: &Beliefs, value: Term, used: usize) -> bool {
    let one = &beliefs.uses[used];
    one.value == value
        && !beliefs
            .tests
            .iter()
            .any(|test| test.value == value && beliefs.is_above(test.edge, one.at.block))
}
