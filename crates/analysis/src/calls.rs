//! Conditions and values that are facts of a call: they stand at its place, checks of the arguments before it, and behind it
//! assumptions of what holds once it has returned and stores of what it has left in memory.

use crate::edges::variables;
use gainsay_ir::passive::{Call, Cmd, CmdKind, Definition, Effect, ExprData, Function, Var};
use gainsay_vc::Statement;
use std::collections::BTreeSet;

/// The call whose return makes the assumption hold.
pub(crate) fn call_before(function: &Function, assumption: Statement) -> Option<&Call> {
    let cmds = &function.blocks[assumption.block].cmds;
    let cmd = cmds.get(assumption.index as usize)?;
    if !matches!(cmd.kind, CmdKind::Assume(_)) {
        return None;
    }
    let before = cmds[..assumption.index as usize].iter().rev();
    before.take_while(|other| other.loc == cmd.loc).find_map(call)
}

/// The call that the check stands before.
pub(crate) fn call_behind(function: &Function, check: Statement) -> Option<&Call> {
    let cmds = function.blocks[check.block].cmds.get(check.index as usize..)?;
    let here = cmds.first()?.loc;
    cmds.iter().take_while(|cmd| cmd.loc == here).find_map(call)
}

/// Is it something that the body of the callee shows? Models say nothing of what a call writes or keeps.
pub(crate) fn is_shown_by_callee(function: &Function, assumption: Statement) -> bool {
    call_before(function, assumption).is_some_and(|call| {
        !gainsay_ir::gc::writes_anything(call.writes.as_deref()) || call.keeps != gainsay_ir::gc::KEEPS_ALL
    })
}

/// Is it something that is known of the callee's result, or of what it left in memory?
pub(crate) fn is_about_outcome(function: &Function, assumption: Statement) -> bool {
    let Some(result) = call_before(function, assumption).map(|call| call.result) else { return false };
    let cmds = &function.blocks[assumption.block].cmds;
    let at = assumption.index as usize;
    let CmdKind::Assume(condition) = cmds[at].kind else { return false };
    let is_read_behind = |var: &Var| match function.vars[*var].definition {
        Definition::Command(block, index) if block == assumption.block => {
            let index = index as usize;
            index < at && cmds[index..at].iter().all(|cmd| cmd.loc == cmds[at].loc && call(cmd).is_none())
        }
        _ => false,
    };
    variables(function, &[condition]).iter().any(|var| Some(*var) == result || is_read_behind(var))
}

/// The call that has left in memory what is stored there once more behind it.
pub(crate) fn call_with_exit_state(function: &Function, store: Statement) -> Option<&Call> {
    let cmds = &function.blocks[store.block].cmds;
    let cmd = cmds.get(store.index as usize)?;
    let CmdKind::Update { effect: Effect::Store { value, .. }, .. } = cmd.kind else { return None };
    let before = cmds[..store.index as usize].iter().rev();
    let call = before.take_while(|other| other.loc == cmd.loc).find_map(call)?;
    // `int a[] = { f() };`
    let is_result = |result: Var| function.exprs[value] == ExprData::Var(result);
    (!call.result.is_some_and(is_result)).then_some(call)
}

/// All that is stored once more behind calls.
pub(crate) fn exit_state_stores(function: &Function) -> BTreeSet<Statement> {
    let statements = function
        .blocks
        .iter()
        .flat_map(|(block, data)| (0..data.cmds.len() as u32).map(move |index| Statement { block, index }));
    statements.filter(|&statement| call_with_exit_state(function, statement).is_some()).collect()
}

fn call(cmd: &Cmd) -> Option<&Call> {
    match &cmd.kind {
        CmdKind::Update { effect: Effect::Call(call), .. } => Some(call),
        _ => None,
    }
}
