//! Contradictions that the program itself states by assertions.

use super::command;
use crate::edges::above;
use crate::explain::{Core, is_constant, reachable};
use crate::judge::Judge;
use gainsay_ir::check::Check;
use gainsay_ir::passive::{Block, BlockData, Cmd, CmdKind, Function, Next};
use gainsay_vc::Statement;

/// Does a path from the edge lead to the end of a function that must not return? That is a mistake, not an assertion.
pub(super) fn returns_forbidden(function: &Function, edge: Block) -> bool {
    reachable(function, edge).iter().any(|block| {
        let is_end = |cmd: &Cmd| matches!(cmd.kind, CmdKind::Assert(Check::NoreturnReturns, _));
        function.blocks[block].cmds.iter().any(is_end)
    })
}

/// Does the run fail in an assertion below the branch or below a further one? Then the program itself says that it is
/// not reached. (An assertion that every run meets contradicts the branch.)
pub(super) fn asserts_below(judge: &Judge, core: &Core) -> bool {
    let (function, source) = (judge.function, judge.source);
    let command = |statement: &Statement| command(function, *statement);
    let is_assumed = |statement: &&Statement| matches!(command(statement), Some(CmdKind::Assume(_)));
    let mut failures = core.after.iter().filter(|statement| !is_assumed(statement)).peekable();
    let Some(&&first) = failures.peek() else { return false };
    if !failures.all(|failure| matches!(command(failure), None | Some(CmdKind::Assert(Check::Assertion, _))))
    {
        return false;
    }
    // A branch of the source around it, other than those of the assertion itself.
    let is_branch = |block: Block| {
        let data = &function.blocks[block];
        data.branch.is_some() && !data.cmds.first().is_some_and(|cmd| source.is_in_macro(cmd.loc))
    };
    let is_nested = above(judge.dominators(), first.block).any(is_branch);
    let is_on_path = core.after.iter().filter(is_assumed).any(|statement| is_branch(statement.block));
    is_nested || is_on_path
}

/// Does the contradiction rest on assertions only? `assert(p); if (!p) return;` is a second line of defence where
/// assertions are compiled out. In `assert(a || b)`, the conditions are no branches of the program.
pub(super) fn asserts_only(judge: &Judge, edge: Block, core: &Core) -> bool {
    let (function, source) = (judge.function, judge.source);
    let mut checks =
        core.before.iter().chain(&core.after).filter_map(|statement| match command(function, *statement) {
            Some(CmdKind::Assert(check, _)) => Some(*check),
            _ => None,
        });
    let is_part = function.blocks[edge].cmds.first().is_some_and(|cmd| source.is_in_macro(cmd.loc));
    let is_late = core.after.is_empty() && !core.needs_end;
    let mut n_checks = 0;
    let only_asserts = checks.all(|check| {
        n_checks += 1;
        check == Check::Assertion
    });
    let aborts = core.after.iter().any(|&statement| command(function, statement).is_none());
    only_asserts && (n_checks > 0 && (is_late || is_part) || aborts && is_part)
}

/// [`asserts_only`] for an assertion that is a branch of a macro whose other outcome does not return.
pub(super) fn is_asserted_before(judge: &Judge, edge: Block, core: &Core) -> bool {
    let (function, source, can_end) = (judge.function, judge.source, judge.can_end());
    let is_assertion = |block: Block| {
        let data = &function.blocks[block];
        let other = |(other, data): (Block, &BlockData)| {
            let same = data.branch.zip(function.blocks[block].branch);
            other != block
                && same.is_some_and(|(a, b)| a.condition == b.condition)
                && !can_end.contains(other)
        };
        data.cmds.first().is_some_and(|cmd| source.is_in_macro(cmd.loc)) && function.blocks.iter().any(other)
    };
    let mut others = core.before.iter().filter(|statement| statement.block != edge).peekable();
    core.after.is_empty()
        && !core.needs_end
        && others.peek().is_some()
        && others.all(|statement| is_assertion(statement.block))
}

/// `*(int *)NULL = 0` is no mistake.
pub(super) fn crashes_on_purpose(function: &Function, statement: Statement) -> bool {
    match command(function, statement) {
        Some(CmdKind::Assert(Check::NullDereference, holds)) => is_constant(function, *holds),
        _ => false,
    }
}

/// Can control reach a `return` from the edge, rather than only `exit` and the like?
pub(super) fn returns(function: &Function, edge: Block) -> bool {
    reachable(function, edge).iter().any(|block| matches!(function.blocks[block].next, Next::Return { .. }))
}
