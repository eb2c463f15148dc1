//! Results that may be NULL and are used untested, where nearly all other calls test them: the habit of the program is the
//! belief that this use contradicts.

use super::Beliefs;
use super::ask::Asker;
use super::report;
use crate::link::Tested;
use gainsay_ir::gc::Symbol;
use gainsay_ir::passive::{Callee, CmdKind, Definition, Effect, Expr, ExprData, Function};
use gainsay_report::finding::Finding;
use std::collections::BTreeSet;

/// Fewer calls show no habit.
const FEWEST_TESTED: u32 = 4;

/// Of ten calls, so many test the result.
const OF_TEN: u32 = 9;

/// What gives a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Giver {
    Function(Symbol),
    /// `malloc` and its like.
    Allocation,
}

pub(super) fn find(beliefs: &mut Beliefs, asker: &mut Asker) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut reported: BTreeSet<Giver> = BTreeSet::new();
    for used in 0..beliefs.uses.len() {
        let one = &beliefs.uses[used];
        let Some(giver) = giver(beliefs.judge.function, one.expr) else { continue };
        if one.kind.is_division() || reported.contains(&giver) || is_tested_here(beliefs, giver) {
            continue;
        }
        let Some(habit) = habit(beliefs, giver) else { continue };
        if asker.can_fail(beliefs, used, &[]) {
            reported.insert(giver);
            found.extend(report::unchecked(beliefs, giver, habit, used));
        }
    }
    found
}

/// Where the pointer comes from, as it is.
fn giver(function: &Function, mut expr: Expr) -> Option<Giver> {
    loop {
        let ExprData::Var(var) = function.exprs[expr] else { return None };
        match function.vars[var].definition {
            Definition::Command(block, index) => match function.blocks[block].cmds[index as usize].kind {
                CmdKind::Define(_, value) => expr = value,
                _ => return None,
            },
            Definition::Fresh(block, index) => {
                return match &function.blocks[block].cmds.get(index as usize)?.kind {
                    CmdKind::Update { effect: Effect::Call(call), .. } if call.result == Some(var) => {
                        match call.callee {
                            Callee::Symbol(symbol) => Some(Giver::Function(symbol)),
                            Callee::Pointer(_) => None,
                        }
                    }
                    CmdKind::Update { effect: Effect::Allocate { pointer, .. }, .. } if *pointer == var => {
                        Some(Giver::Allocation)
                    }
                    _ => None,
                };
            }
            Definition::Entry | Definition::Phi(_) => return None,
        }
    }
}

/// Does the function test a result of the same giver? Then it knows: `if (find(x)) find(x)->n++`.
fn is_tested_here(beliefs: &Beliefs, wanted: Giver) -> bool {
    beliefs.uses.iter().any(|one| {
        beliefs.tests.iter().any(|test| test.value == one.value)
            && giver(beliefs.judge.function, one.expr) == Some(wanted)
    }) || beliefs.tests.iter().any(|test| {
        let condition = super::related::condition(beliefs.judge.function, test.edge);
        let operands = condition.map(|condition| beliefs.judge.function.exprs[condition].operands());
        operands.into_iter().flatten().any(|operand| giver(beliefs.judge.function, operand) == Some(wanted))
    })
}

fn habit(beliefs: &Beliefs, giver: Giver) -> Option<Tested> {
    let (tested, may_be_null) = match giver {
        Giver::Allocation => (beliefs.hints.allocations, true),
        Giver::Function(symbol) => {
            let results = beliefs.hints.results.get(&symbol.as_u32())?;
            (results.tested, results.gives_null != Some(false))
        }
    };
    let is_habit = tested.tested >= FEWEST_TESTED && tested.tested * 10 >= tested.calls * OF_TEN;
    (may_be_null && is_habit).then_some(tested)
}
