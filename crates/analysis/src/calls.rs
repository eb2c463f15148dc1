//! Commands that belong to a call because they have its location: checks of the arguments before it, and after it
//! assumptions about its return and stores of its exit state.

use crate::edges::variables;
use gainsay_ir::passive::{Call, Cmd, CmdKind, Definition, Effect, ExprData, Function, Var};
use gainsay_vc::Statement;
use std::collections::BTreeSet;

/// The call whose return establishes the assumption.
pub(crate) fn call_before(function: &Function, assumption: Statement) -> Option<&Call> {
    let cmds = &function.blocks[assumption.block].cmds;
    let cmd = cmds.get(assumption.index as usize)?;
    if !matches!(cmd.kind, CmdKind::Assume(_)) {
        return None;
    }
    let before = cmds[..assumption.index as usize].iter().rev();
    before.take_while(|other| other.loc == cmd.loc).find_map(call)
}

/// The call that the check precedes.
pub(crate) fn call_after(function: &Function, check: Statement) -> Option<&Call> {
    let cmds = function.blocks[check.block].cmds.get(check.index as usize..)?;
    let here = cmds.first()?.loc;
    cmds.iter().take_while(|cmd| cmd.loc == here).find_map(call)
}

/// Is it a fact from the body of the callee? A model does not restrict what a call writes or keeps.
pub(crate) fn is_shown_by_callee(function: &Function, assumption: Statement) -> bool {
    call_before(function, assumption).is_some_and(|call| {
        !gainsay_ir::gc::writes_anything(call.writes.as_deref()) || call.keeps != gainsay_ir::gc::KEEPS_ALL
    })
}

/// Is it a fact about the result or the exit state of the callee?
pub(crate) fn is_about_outcome(function: &Function, assumption: Statement) -> bool {
    let Some(result) = call_before(function, assumption).map(|call| call.result) else { return false };
    let cmds = &function.blocks[assumption.block].cmds;
    let at = assumption.index as usize;
    let CmdKind::Assume(condition) = cmds[at].kind else { return false };
    let is_read_after = |var: &Var| match function.vars[*var].definition {
        Definition::Command(block, index) if block == assumption.block => {
            let index = index as usize;
            index < at && cmds[index..at].iter().all(|cmd| cmd.loc == cmds[at].loc && call(cmd).is_none())
        }
        _ => false,
    };
    variables(function, &[condition]).iter().any(|var| Some(*var) == result || is_read_after(var))
}

/// The call whose exit state the store repeats.
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

/// All stores that repeat exit states.
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
