//! Contradictory beliefs (semantic-inconsistency-inference): one place tests a value before it uses it,
//! another uses the same value untested; or an assigned NULL reaches a use.
//!
//! Findings are not proofs as those of `reach` are. A finding says that a run exists on which a use fails, as
//! far as the function is modelled, and that something in the program suggests that such runs are expected.
//! "The same value" is the same term of the encoding: terms serve as guarded points-to sets (section 5), so
//! aliases and values without a common source are treated alike.

mod ask;
mod control;
mod freed;
mod inconsistent;
mod independent;
mod locked;
mod output_only;
mod related;
mod report;
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
use tested::{ZeroTest, tests};
use uses::{Use, uses};

/// The facts about one function that all belief rules share.
struct Beliefs<'a> {
    judge: &'a Judge<'a>,
    hints: &'a Hints,
    vc: Vc,
    uses: Vec<Use<'a>>,
    tests: Vec<ZeroTest>,
    dominators: &'a Dominators,
    /// Blocks from which a run can end well.
    can_end: &'a EntitySet<Block>,
}

impl Beliefs<'_> {
    /// Whether `upper` is `lower` or dominates it.
    fn is_above(&self, upper: Block, lower: Block) -> bool {
        upper == lower || above(self.dominators, lower).any(|block| block == upper)
    }

    /// Whether a test of the used value dominates the use.
    fn is_tested_above(&self, used: usize) -> bool {
        let used = &self.uses[used];
        let is_before = |test: &ZeroTest| test.value == used.value && self.is_above(test.edge, used.at.block);
        self.tests.iter().any(is_before)
    }
}

/// The findings. One that another analysis already has is not repeated: `beliefs` is added to its analyses.
pub(crate) fn find(cx: &mut Cx) -> Vec<Finding> {
    let Some(hints) = cx.tools.beliefs else { return Vec::new() };
    cx.begin(Stage::Beliefs);
    let judge = cx.judge;
    if !has_checks(judge) {
        return Vec::new();
    }
    let options = Options { checks_are_events: true, ..Options::default() };
    let mut vc = encode_with(judge.unit, judge.function, &options);
    let uses = uses(judge.function, &mut vc, hints);
    let tests = tests(judge.function, &vc, judge.source);
    let (dominators, can_end) = (judge.dominators(), judge.can_end());
    let mut beliefs = Beliefs { judge, hints, vc, uses, tests, dominators, can_end };
    let mut asker = ask::BeliefAsker::new(cx.tools.first);
    let mut found = inconsistent::find(&mut beliefs, &mut asker);
    found.extend(source::find(&mut beliefs, &mut asker));
    found.extend(unchecked::find(&mut beliefs, &mut asker));
    found.extend(freed::find(&mut beliefs, &mut asker));
    found.extend(locked::find(&mut beliefs, &mut asker));
    cx.tally.beliefs_undecided += asker.undecided;
    report::merge(&mut cx.findings, found)
}

/// Whether the function has a check or a call, so that a use can exist.
fn has_checks(judge: &Judge) -> bool {
    let is_check = |data: &BlockData| {
        data.cmds.iter().any(|cmd| {
            matches!(cmd.kind, CmdKind::Assert(..) | CmdKind::Update { effect: Effect::Call(_), .. })
        })
    };
    judge.function.blocks.values().any(is_check)
}
