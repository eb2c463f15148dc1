//! Beliefs that contradict each other (papers/semantic-inconsistency-inference): in one place a value is tested
//! before it is used, in another the same value is used untested; or a value that is NULL somewhere gets to a
//! use.
//!
//! Not proofs, as `reach` gives them: there is a run by which a use fails, as far as the function can be known,
//! and something in the program suggests that such runs are meant to exist. "The same value" is the same term
//! of the encoding: terms are guarded points-to sets (section 5 of the paper), so aliases and values without a
//! common source are found alike.

mod ask;
mod control;
mod freed;
mod inconsistent;
mod independent;
mod locked;
mod related;
mod report;
mod said;
mod source;
mod tested;
mod unchecked;
mod uses;

use crate::context::{Cx, Stage};
use crate::edges::{Dominators, above};
use crate::judge::Judge;
use cranelift_entity::EntitySet;
use gainsay_ir::passive::{Block, BlockData, CmdKind, Effect};
use gainsay_program::link::Hints;
use gainsay_report::finding::Finding;
use gainsay_vc::{Options, Vc, encode_with};
use tested::{Test, tests};
use uses::{Use, uses};

/// What is known of one function.
struct Beliefs<'a> {
    judge: &'a Judge<'a>,
    hints: &'a Hints,
    vc: Vc,
    uses: Vec<Use<'a>>,
    tests: Vec<Test>,
    dominators: &'a Dominators,
    /// Blocks from which a run may end well.
    can_end: &'a EntitySet<Block>,
}

impl Beliefs<'_> {
    /// Does every run to the one block pass the other, or are they one?
    fn is_above(&self, upper: Block, lower: Block) -> bool {
        upper == lower || above(self.dominators, lower).any(|block| block == upper)
    }

    /// Does a test of its value stand before the use?
    fn is_tested_above(&self, used: usize) -> bool {
        let used = &self.uses[used];
        let is_before = |test: &Test| test.value == used.value && self.is_above(test.edge, used.at.block);
        self.tests.iter().any(is_before)
    }
}

/// The findings; one that another analysis has already gets a second name.
pub(crate) fn find(cx: &mut Cx) -> Vec<Finding> {
    let Some(hints) = cx.tools.beliefs else { return Vec::new() };
    cx.begin(Stage::Beliefs);
    let judge = cx.judge;
    if !is_worth_it(judge) {
        return Vec::new();
    }
    let options = Options { checks_are_events: true, ..Options::default() };
    let mut vc = encode_with(judge.unit, judge.function, &options);
    let uses = uses(judge.function, &mut vc, hints);
    let tests = tests(judge.function, &vc, judge.source);
    let (dominators, can_end) = (judge.dominators(), judge.can_end());
    let mut beliefs = Beliefs { judge, hints, vc, uses, tests, dominators, can_end };
    let mut asker = ask::Asker::new(cx.tools.first);
    let mut found = inconsistent::find(&mut beliefs, &mut asker);
    found.extend(source::find(&mut beliefs, &mut asker));
    found.extend(unchecked::find(&mut beliefs, &mut asker));
    found.extend(freed::find(&mut beliefs, &mut asker));
    found.extend(locked::find(&mut beliefs, &mut asker));
    cx.tally.beliefs_undecided += asker.undecided;
    report::merge(&mut cx.findings, found)
}

/// Is there anything that can fail?
fn is_worth_it(judge: &Judge) -> bool {
    let is_check = |data: &BlockData| {
        data.cmds.iter().any(|cmd| {
            matches!(cmd.kind, CmdKind::Assert(..) | CmdKind::Update { effect: Effect::Call(_), .. })
        })
    };
    judge.function.blocks.values().any(is_check)
}
