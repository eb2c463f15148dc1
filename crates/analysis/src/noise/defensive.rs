//! Tests that cost nothing and may matter when the code around them changes.

use super::command;
use crate::edges::{above, variables};
use crate::explain::{Core, is_written_by_user};
use crate::judge::Judge;
use gainsay_ir::check::Check;
use gainsay_ir::gc::{BinaryOp, Origin, Outcome};
use gainsay_ir::passive::{Block, CmdKind, Definition, Effect, Expr, ExprData, Function};
use gainsay_ir::types::Type;

/// Does no further `else if` follow?
pub(super) fn is_last_else(function: &Function, edge: Block) -> bool {
    let mut block = edge;
    while let [target] = function.blocks[block].next.targets() {
        block = *target;
    }
    let is_cascade = |target: &Block| {
        function.blocks[*target].branch.is_some_and(|branch| branch.origin == Origin::ElseIf)
    };
    !function.blocks[block].next.targets().iter().any(is_cascade)
}

/// `p = alloca(n); if (!p)`
pub(super) fn is_allocated_on_stack(function: &Function, condition: Expr) -> bool {
    variables(function, &[condition]).into_iter().any(|var| match function.vars[var].definition {
        Definition::Fresh(block, index) => matches!(
            function.blocks[block].cmds.get(index as usize).map(|cmd| &cmd.kind),
            Some(CmdKind::Update { effect: Effect::Alloca { .. }, .. })
        ),
        _ => false,
    })
}

/// `for (p = list; p; p = p->next) if (...) break;` and then `p->x`: the author relies on a hit.
pub(super) fn is_search(function: &Function, edge: Block, condition: Expr, core: &Core) -> bool {
    let is_null_test = matches!(function.exprs[condition], ExprData::Binary(BinaryOp::Eq, _, b)
        if matches!(function.exprs[b], ExprData::Const(Type::Ptr, 0)));
    let leaves_loop = function.blocks[edge].branch.is_some_and(|branch| {
        branch.outcome == Outcome::False && matches!(branch.origin, Origin::LoopEntry | Origin::And)
    });
    let fails_on_null = core.after.iter().any(|statement| {
        matches!(
            command(function, *statement),
            None | Some(CmdKind::Assert(Check::NullDereference | Check::CalleeFails | Check::Assertion, _))
        )
    });
    // Only a cut loop havocs a pointer that the user wrote.
    let runs_along = variables(function, &[condition]).into_iter().any(|var| {
        is_written_by_user(function, var) && matches!(function.vars[var].definition, Definition::Fresh(..))
    });
    is_null_test && fails_on_null && leaves_loop && runs_along
}

/// `if (p) free(p);`, perhaps with more: the test guards a release.
pub(super) fn guards_release(judge: &Judge, edge: Block, condition: Expr) -> bool {
    let function = judge.function;
    let ExprData::Binary(BinaryOp::Eq, _, _) = function.exprs[condition] else { return false };
    if !holds_no_code(function, edge) {
        return false;
    }
    let Some(branch) = function.blocks[edge].branch else { return false };
    let is_other = |block: &Block| {
        *block != edge && function.blocks[*block].branch.is_some_and(|b| b.condition == branch.condition)
    };
    let Some(other) = function.blocks.keys().find(is_other) else { return false };
    let tested = variables(function, &[condition]);
    function.blocks.iter().any(|(block, data)| {
        let is_below = || block == other || above(judge.dominators(), block).any(|above| above == other);
        data.cmds.iter().any(|cmd| match &cmd.kind {
            CmdKind::Update { effect: Effect::Free { pointer }, .. } => {
                variables(function, &[*pointer]).iter().any(|var| tested.contains(var)) && is_below()
            }
            CmdKind::Update { effect: Effect::Call(call), .. } => {
                call.result.is_none()
                    && call.args.len() == 1
                    && variables(function, &call.args).iter().any(|var| tested.contains(var))
                    && is_below()
            }
            _ => false,
        })
    })
}

/// `if (fd != -1) close(fd);`: the dead code only releases what was tested.
pub(super) fn releases_only(function: &Function, edge: Block, condition: Expr) -> bool {
    let tested = variables(function, &[condition]);
    let mut block = edge;
    let mut releases = 0;
    loop {
        let data = &function.blocks[block];
        for cmd in &data.cmds[usize::from(block == edge)..] {
            let given: &[Expr] = match &cmd.kind {
                CmdKind::Update { effect: Effect::Free { pointer }, .. } => &[*pointer],
                CmdKind::Update { effect: Effect::Call(call), .. } if call.args.len() == 1 => &call.args,
                CmdKind::Assert(..)
                | CmdKind::Assume(_)
                | CmdKind::Define(..)
                | CmdKind::Update { effect: Effect::ClobberErrno, .. } => continue,
                CmdKind::Update { effect: Effect::Store { .. }, .. } if releases > 0 => continue,
                _ => return false,
            };
            if !variables(function, given).iter().any(|var| tested.contains(var)) {
                return false;
            }
            releases += 1;
        }
        match data.next.targets() {
            [target] if predecessors(function, *target) > 1 => return releases == 1,
            [target] => block = *target,
            _ => return false,
        }
    }
}

/// Does the edge lead to a join, with nothing but values computed before it?
pub(super) fn has_no_effect(function: &Function, edge: Block) -> bool {
    let mut block = edge;
    loop {
        let data = &function.blocks[block];
        if data.cmds.iter().any(|cmd| matches!(cmd.kind, CmdKind::Update { .. })) {
            return false;
        }
        match data.next.targets() {
            [target] if predecessors(function, *target) > 1 => return true,
            [target] => block = *target,
            _ => return false,
        }
    }
}

/// Does the edge go straight to a join?
pub(super) fn holds_no_code(function: &Function, edge: Block) -> bool {
    let mut block = edge;
    loop {
        let data = &function.blocks[block];
        if data.cmds.len() > usize::from(block == edge) {
            return false;
        }
        let [target] = data.next.targets() else { return false };
        if predecessors(function, *target) > 1 {
            return true;
        }
        block = *target;
    }
}

fn predecessors(function: &Function, block: Block) -> usize {
    function.blocks.values().filter(|data| data.next.targets().contains(&block)).count()
}
