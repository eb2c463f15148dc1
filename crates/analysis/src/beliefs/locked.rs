//! Source-sink errors with the constructors "locked" and "unlocked" (semantic-inconsistency-inference,
//! Definition 3): a lock is locked twice, or unlocked twice.
//!
//! Only calls count whose effect on locks a model states, and only if no call in between may have the
//! opposite effect: a call that may write anything may unlock.

use super::Beliefs;
use super::ask::BeliefAsker;
use super::freed::is_unguarded_between;
use cranelift_entity::EntitySet;
use gainsay_ir::gc::{Loc, writes_anything};
use gainsay_ir::passive::{Block, Callee, CmdKind, Effect, Expr};
use gainsay_program::models::Locking;
use gainsay_report::finding::Finding;
use gainsay_term::Term;
use gainsay_vc::Statement;

/// A call that locks or unlocks.
#[derive(Clone, Copy)]
pub(super) struct LockChange {
    at: Statement,
    pub(super) loc: Loc,
    pub(super) pointer: Expr,
    value: Term,
    pub(super) locking: Locking,
}

pub(super) fn find(beliefs: &mut Beliefs, asker: &mut BeliefAsker) -> Vec<Finding> {
    let changes = changes(beliefs);
    let mut found = Vec::new();
    for first in &changes {
        let LockReach { repeated, ends } = reached(beliefs, &changes, first);
        let is_candidate = |second: &&LockChange| {
            second.loc != first.loc
                && is_unguarded_between(beliefs, first.at.block, second.at.block, second.pointer)
        };
        let Some(second) = repeated.iter().find(is_candidate) else { continue };
        let mut terms = Vec::new();
        for block in [first.at.block, second.at.block] {
            terms.extend(beliefs.vc.entered[block]);
        }
        for block in ends.into_iter().filter(|&block| block < second.at.block) {
            if let Some(entered) = beliefs.vc.entered[block] {
                terms.push(beliefs.vc.pool.not(entered));
            }
        }
        if asker.can_reach(beliefs, second.at, &terms) {
            found.extend(super::report::locked(beliefs, first, second));
        }
    }
    found
}

fn changes(beliefs: &Beliefs) -> Vec<LockChange> {
    let function = beliefs.judge.function;
    let mut changes = Vec::new();
    if beliefs.hints.locking.is_empty() {
        return changes;
    }
    for (block, data) in &function.blocks {
        for (index, cmd) in data.cmds.iter().enumerate() {
            if let CmdKind::Update { effect: Effect::Call(call), .. } = &cmd.kind
                && let Callee::Symbol(symbol) = call.callee
                && let Some(&(locking, argument)) = beliefs.hints.locking.get(&symbol.as_u32())
                && let Some(&pointer) = call.args.get(usize::from(argument))
                && let Some(value) = beliefs.vc.term(pointer)
            {
                let at = Statement { block, index: index as u32 };
                changes.push(LockChange { at, loc: cmd.loc, pointer, value, locking });
            }
        }
    }
    changes
}

/// What a run can reach after a change of a lock.
#[derive(Default)]
struct LockReach {
    /// The first repetition of the change on each path.
    repeated: Vec<LockChange>,
    /// Blocks in which the change may be undone; the path is not followed further.
    ends: Vec<Block>,
}

fn reached(beliefs: &Beliefs, changes: &[LockChange], first: &LockChange) -> LockReach {
    let function = beliefs.judge.function;
    let mut reached = LockReach::default();
    let mut seen: EntitySet<Block> = EntitySet::new();
    let mut work = vec![(first.at.block, first.at.index as usize + 1)];
    while let Some((block, start)) = work.pop() {
        let data = &function.blocks[block];
        let mut goes_on = true;
        for (index, cmd) in data.cmds.iter().enumerate().skip(start) {
            let CmdKind::Update { effect: Effect::Call(call), .. } = &cmd.kind else { continue };
            let at = Statement { block, index: index as u32 };
            match changes.iter().find(|change| change.at == at) {
                Some(change) if change.value == first.value && change.locking == first.locking => {
                    reached.repeated.push(*change);
                    goes_on = false;
                }
                // Another lock. It is assumed not to alias this one.
                Some(change) if change.locking == first.locking => continue,
                None if !writes_anything(call.writes.as_deref()) => continue,
                _ => {
                    reached.ends.push(block);
                    goes_on = false;
                }
            }
            break;
        }
        if goes_on {
            work.extend(
                data.next.targets().iter().filter(|&&target| seen.insert(target)).map(|&target| (target, 0)),
            );
        }
    }
    reached.repeated.sort_by_key(|change| change.at);
    reached
}
