//! Contradictions that another configuration or machine does not have.

use super::command;
use crate::edges::variables;
use crate::explain::{is_constant, is_written_by_user};
use crate::judge::Judge;
use gainsay_ir::check::Check;
use gainsay_ir::gc::BinaryOp;
use gainsay_ir::passive::{Block, CmdKind, Definition, Expr, ExprData, Function, Sort, Var, VarOf};
use gainsay_ir::types::Type;
use gainsay_vc::Statement;

/// `n = LIMIT;`
pub(super) fn is_macro_constant(judge: &Judge, definition: Statement) -> bool {
    let (function, source) = (judge.function, judge.source);
    let cmd = &function.blocks[definition.block].cmds[definition.index as usize];
    match cmd.kind {
        CmdKind::Define(_, value) => is_constant(function, value) && source.takes_macro_value(cmd.loc),
        _ => false,
    }
}

/// An array of one element and an index that varies: a table that is longer in another configuration, or the last
/// member of a record that is allocated with extra space.
pub(super) fn indexes_one_element(function: &Function, statement: Statement) -> bool {
    match command(function, statement) {
        Some(CmdKind::Assert(Check::Bounds, holds)) => match function.exprs[*holds] {
            ExprData::Binary(BinaryOp::ULt, index, extent) => {
                matches!(function.exprs[extent], ExprData::Const(_, 1)) && !is_constant(function, index)
            }
            _ => false,
        },
        _ => false,
    }
}

/// `n = (int)m; if (n != m)`: it cannot fail where the types are equally wide.
pub(super) fn undoes_conversion(function: &Function, condition: Expr) -> bool {
    match function.exprs[condition] {
        ExprData::Binary(BinaryOp::Ne, a, b) => !is_constant(function, a) && !is_constant(function, b),
        _ => false,
    }
}

/// `n < 0` where the type of `n` has a name of its own, and may be signed elsewhere.
pub(super) fn has_configured_type(judge: &Judge, edge: Block, condition: Expr) -> bool {
    let (function, source) = (judge.function, judge.source);
    let Some(cmd) = function.blocks[edge].cmds.first() else { return false };
    variables(function, &[condition]).into_iter().any(|var| match function.vars[var].of {
        VarOf::Source(variable) if function.sources[variable].is_written_by_user() => {
            source.has_configured_type(&function.sources[variable].name, cmd.loc)
        }
        _ => false,
    })
}

/// Does `#if` decide about a use of a tested variable, between the first statement of the core and the test?
pub(super) fn is_tested_conditionally(judge: &Judge, first: Statement, edge: Block, condition: Expr) -> bool {
    let (function, source) = (judge.function, judge.source);
    let (Some(from), Some(to)) =
        (function.blocks[first.block].cmds.get(first.index as usize), function.blocks[edge].cmds.first())
    else {
        return false;
    };
    variables(function, &[condition]).into_iter().any(|var| match function.vars[var].of {
        VarOf::Source(variable) if function.sources[variable].is_written_by_user() => {
            let name = &function.sources[variable].name;
            let plain = name.split('.').next().unwrap_or(name);
            source.is_mentioned_conditionally(plain, from.loc, to.loc)
        }
        _ => false,
    })
}

/// Is it a comparison with the largest numbers of a type, such as SIZE_MAX?
pub(super) fn reaches_limit(function: &Function, condition: Expr) -> bool {
    let is_relation = matches!(
        function.exprs[condition],
        ExprData::Binary(BinaryOp::ULt | BinaryOp::ULe | BinaryOp::SLt | BinaryOp::SLe, ..)
    );
    let mut stack: Vec<Expr> = function.exprs[condition].operands().to_vec();
    while let Some(expr) = stack.pop() {
        match function.exprs[expr] {
            // All ones, or the largest signed number, or next to them.
            ExprData::Const(Type::Int(bits), value) if bits >= 32 => {
                let ones = if bits >= 128 { u128::MAX } else { (1 << bits) - 1 };
                if value >= ones - 1 && is_unsigned(function, condition)
                    || value == ones >> 1
                    || value == (ones >> 1) - 1
                {
                    return is_relation;
                }
            }
            data => stack.extend(data.operands()),
        }
    }
    false
}

fn is_unsigned(function: &Function, condition: Expr) -> bool {
    matches!(function.exprs[condition], ExprData::Binary(BinaryOp::ULt | BinaryOp::ULe, ..))
}

/// Does `#if` decide how the variable is set, or whether it is changed before the test?
pub(super) fn is_changed_in_other_configuration(judge: &Judge, definition: Statement, edge: Block) -> bool {
    let (function, source) = (judge.function, judge.source);
    let cmd = &function.blocks[definition.block].cmds[definition.index as usize];
    let (CmdKind::Define(var, _), Some(test)) = (&cmd.kind, function.blocks[edge].cmds.first()) else {
        return false;
    };
    let VarOf::Source(variable) = function.vars[*var].of else { return false };
    let name = &function.sources[variable].name;
    let plain = name.split('.').next().unwrap_or(name);
    source.is_conditional(cmd.loc) || source.is_mentioned_conditionally(plain, cmd.loc, test.loc)
}

/// Could the condition have another value on another machine or in another configuration?
pub(super) fn depends_on_machine(function: &Function, condition: Expr) -> bool {
    exceeds_wide_type(function, condition) || {
        let operands = function.exprs[condition].operands();
        let stripped: Vec<Expr> = operands.iter().map(|&operand| without_casts(function, operand)).collect();
        // `x == (long)x`, and flags that do not exist here: `x & O_BINARY`.
        matches!(stripped[..], [a, b] if a == b || function.exprs[a] == function.exprs[b])
            || stripped.iter().any(|&operand| match function.exprs[operand] {
                ExprData::Binary(BinaryOp::And, a, b) => {
                    [a, b].iter().any(|&side| matches!(function.exprs[side], ExprData::Const(_, 0)))
                }
                _ => false,
            })
    }
}

fn without_casts(function: &Function, mut expr: Expr) -> Expr {
    while let ExprData::Cast(_, _, of) = function.exprs[expr] {
        expr = of;
    }
    expr
}

/// Is a variable of a type whose width depends on the machine compared with a number other than zero?
fn exceeds_wide_type(function: &Function, condition: Expr) -> bool {
    let operands = function.exprs[condition].operands();
    let number = operands
        .iter()
        .any(|&operand| matches!(function.exprs[operand], ExprData::Const(_, value) if value != 0));
    number && operands.iter().any(|&operand| is_wide(function, operand))
}

fn is_wide(function: &Function, expr: Expr) -> bool {
    let width = |ty: Type| matches!(ty, Type::Int(bits) if bits >= 32);
    match function.exprs[expr] {
        ExprData::Cast(_, _, of) => is_wide(function, of),
        ExprData::Load(_, access, _) => width(access.ty),
        ExprData::Var(var) => match temporary(function, var) {
            Some(value) => is_wide(function, value),
            None => matches!(function.vars[var].sort, Sort::Value(ty) if width(ty)),
        },
        _ => false,
    }
}

/// The value of a temporary.
fn temporary(function: &Function, var: Var) -> Option<Expr> {
    match function.vars[var].definition {
        Definition::Command(block, index) if !is_written_by_user(function, var) => {
            match function.blocks[block].cmds[index as usize].kind {
                CmdKind::Define(_, value) => Some(value),
                _ => None,
            }
        }
        _ => None,
    }
}
