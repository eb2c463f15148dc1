//! What the compiler decides, not the program: `__builtin_constant_p`, and calls that it refuses to build
//! (`__attribute__((error))`). The front end marks both by kinds of variables
//! ([`VarKind::CompilerKnows`], [`VarKind::BuildError`]).

use super::command;
use crate::edges::{above, variables};
use crate::explain::Core;
use crate::judge::Judge;
use cranelift_entity::EntitySet;
use gainsay_ir::gc::{BinaryOp, Outcome, UnaryOp, VarKind};
use gainsay_ir::passive::{Block, Cmd, CmdKind, Expr, ExprData, Function, Next, Var};
use gainsay_vc::Statement;

/// Does the edge lie where the compiler knows a value, or lead to a call that it refuses to build?
///
/// Code below `__builtin_constant_p(x)` runs only where `x` is a constant, a different one in each place, so a statement
/// about all values of `x` is about no run.
pub(super) fn is_where_compiler_decides(judge: &Judge, edge: Block) -> bool {
    let function = judge.function;
    let knows = |block: Block| {
        condition_of(function, block).is_some_and(|condition| is_known(function, condition) == Some(true))
    };
    has_kind(function, &VarKind::CompilerKnows) && (knows(edge) || above(judge.dominators(), edge).any(knows))
        || has_kind(function, &VarKind::BuildError) && leads_to(function, &build_errors(function), edge)
}

/// Does the core rest on what the compiler knows, or on its refusal to build the other outcome?
pub(super) fn rests_on_compiler(function: &Function, core: &Core) -> bool {
    let statements = || core.before.iter().chain(&core.after).chain(&core.definitions);
    let knows = |statement: &Statement| {
        let is_known = |var: &Var| is_of_kind(function, *var, &VarKind::CompilerKnows);
        let exprs: Vec<Expr> = match command(function, *statement) {
            Some(CmdKind::Assume(expr) | CmdKind::Assert(_, expr) | CmdKind::Define(_, expr)) => vec![*expr],
            _ => Vec::new(),
        };
        variables(function, &exprs).iter().any(is_known)
    };
    if has_kind(function, &VarKind::CompilerKnows) && statements().any(knows) {
        return true;
    }
    if !has_kind(function, &VarKind::BuildError) {
        return false;
    }
    let errors = build_errors(function);
    // A `case` excludes more than the `default`.
    let is_other = |statement: &Statement| {
        statement.index == 0
            && function.blocks[statement.block].branch.is_some_and(|branch| {
                matches!(branch.outcome, Outcome::True | Outcome::False)
                    && others(function, statement.block).any(|other| leads_to(function, &errors, other))
            })
    };
    statements().any(is_other)
}

/// The other outcomes of the condition that the edge belongs to.
fn others(function: &Function, edge: Block) -> impl Iterator<Item = Block> + '_ {
    let condition = function.blocks[edge].branch.map(|branch| branch.condition);
    function.blocks.iter().filter_map(move |(other, data)| {
        let is_other =
            other != edge && condition.is_some_and(|c| data.branch.is_some_and(|b| b.condition == c));
        is_other.then_some(other)
    })
}

fn has_kind(function: &Function, kind: &VarKind) -> bool {
    function.sources.values().any(|source| source.kind == *kind)
}

fn is_of_kind(function: &Function, var: Var, kind: &VarKind) -> bool {
    function.source(var).is_some_and(|source| source.kind == *kind)
}

fn condition_of(function: &Function, block: Block) -> Option<Expr> {
    function.blocks[block].branch?;
    match function.blocks[block].cmds.first()?.kind {
        CmdKind::Assume(condition) => Some(condition),
        _ => None,
    }
}

/// Does the condition mean that the compiler knows a value (true), or that it does not?
fn is_known(function: &Function, condition: Expr) -> Option<bool> {
    match function.exprs[condition] {
        ExprData::Var(var) if is_of_kind(function, var, &VarKind::CompilerKnows) => Some(true),
        ExprData::Var(var) => is_known(function, function.value_of(var)?),
        ExprData::Cast(_, _, of) => is_known(function, of),
        ExprData::Unary(UnaryOp::Not, of) => is_known(function, of).map(|known| !known),
        ExprData::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), a, b) => {
            let is_zero = matches!(function.exprs[b], ExprData::Const(_, 0));
            let known = if is_zero { is_known(function, a)? } else { return None };
            Some(known == (op == BinaryOp::Ne))
        }
        _ => None,
    }
}

/// The blocks with calls that the compiler refuses to build.
fn build_errors(function: &Function) -> EntitySet<Block> {
    let is_mark = |cmd: &Cmd| matches!(cmd.kind, CmdKind::Define(var, _) if is_of_kind(function, var, &VarKind::BuildError));
    let mut blocks = EntitySet::new();
    blocks.extend(
        function.blocks.iter().filter(|(_, data)| data.cmds.iter().any(is_mark)).map(|(block, _)| block),
    );
    blocks
}

/// Do all paths from the edge lead there?
fn leads_to(function: &Function, blocks: &EntitySet<Block>, edge: Block) -> bool {
    let mut seen = EntitySet::new();
    let mut stack = vec![edge];
    let mut is_met = false;
    while let Some(block) = stack.pop() {
        if blocks.contains(block) {
            is_met = true;
        } else if seen.insert(block) {
            match &function.blocks[block].next {
                Next::Goto(targets) => stack.extend(targets),
                _ => return false,
            }
        }
    }
    is_met
}
