//! Which true contradictions would a programmer shrug at? (design.md, section 5)

use crate::edges::variables;
use crate::explain::{Core, Subject, is_constant, is_written_by_user, reachable};
use crate::source::Source;
use cranelift_entity::EntitySet;
use gainsay_ir::check::Check;
use gainsay_ir::gc::{BinaryOp, Origin, Outcome};
use gainsay_ir::passive::{Block, Cmd, CmdKind, Definition, Effect, Expr, ExprData, Function, Next, Sort, Var, VarOf};
use gainsay_ir::types::Type;
use gainsay_report::noise::Noise;
use gainsay_solver::encode::Statement;

/// What can be told before anybody asks why.
pub(crate) fn at_first_sight(
    function: &Function,
    source: &dyn Source,
    edge: Block,
    can_end: &EntitySet<Block>,
) -> Option<Noise> {
    let cmd = function.blocks[edge].cmds.first()?;
    let CmdKind::Assume(condition) = cmd.kind else { return None };
    if source.is_in_macro_definition(cmd.loc) {
        return Some(Noise::Macro);
    }
    if is_constant(function, condition) {
        return Some(if source.is_one_token(cmd.loc) { Noise::Trivial } else { Noise::Config });
    }
    (!can_end.contains(edge) && !returns_forbidden(function, edge)).then_some(Noise::AssertionOnly)
}

/// Does the way lead to the end of a function that must not return? That is no assertion but a mistake.
fn returns_forbidden(function: &Function, edge: Block) -> bool {
    reachable(function, edge).keys().any(|block| {
        let is_end = |cmd: &Cmd| matches!(cmd.kind, CmdKind::Assert(Check::NoreturnReturns, _));
        function.blocks[block].cmds.iter().any(is_end)
    })
}

/// What the reason shows.
pub(crate) fn by_reason(function: &Function, subject: Subject, core: &Core) -> Option<Noise> {
    let Subject::Edge(edge) = subject else { return None };
    let data = &function.blocks[edge];
    let (branch, CmdKind::Assume(condition)) = (data.branch?, &data.cmds.first()?.kind) else { return None };
    let rests_on_check = rests_on_check(function, core);
    if guards_release_only(function, edge, *condition) {
        return Some(Noise::Defensive);
    }
    if branch.outcome == Outcome::MissingDefault || core.after.iter().any(|&statement| crashes_on_purpose(function, statement)) {
        let is_missing = branch.outcome == Outcome::MissingDefault;
        return Some(if is_missing { Noise::Defensive } else { Noise::AssertionOnly });
    }
    let is_last_resort = match (branch.origin, branch.outcome) {
        (_, Outcome::Default) => true,
        (Origin::ElseIf, Outcome::False) => holds_no_code(function, edge) || !rests_on_check,
        _ => false,
    };
    if is_last_resort && core.after.is_empty() && !core.needs_end {
        return Some(Noise::Defensive);
    }
    if rests_on_check {
        return None;
    }
    if releases_only(function, edge, *condition) {
        return Some(Noise::Defensive);
    }
    holds_no_code(function, edge).then_some(Noise::Redundant)
}

/// What the assignments behind the contradiction show.
pub(crate) fn by_definitions(
    function: &Function,
    source: &dyn Source,
    subject: Subject,
    core: &Core,
) -> Option<Noise> {
    let Subject::Edge(edge) = subject else { return None };
    let CmdKind::Assume(condition) = function.blocks[edge].cmds.first()?.kind else { return None };
    if rests_on_check(function, core) {
        return None;
    }
    let in_macro = |statement: &Statement| {
        let cmd = &function.blocks[statement.block].cmds[statement.index as usize];
        source.is_in_macro_definition(cmd.loc)
    };
    if core.before.iter().chain(&core.definitions).any(in_macro) {
        return Some(Noise::Macro);
    }
    let is_alone = core.before.len() == 1;
    let config = is_alone && core.definitions.is_empty() && depends_on_machine(function, condition)
        || is_alone && undoes_conversion(function, condition)
        || is_alone && reaches_limit(function, condition)
        || core.definitions.iter().any(|&statement| is_changed_in_other_configuration(function, source, statement, edge));
    config.then_some(Noise::Config)
}

/// `*(int *)NULL = 0`: nobody writes that by mistake.
fn crashes_on_purpose(function: &Function, statement: Statement) -> bool {
    let cmd = function.blocks[statement.block].cmds.get(statement.index as usize);
    match cmd.map(|cmd| &cmd.kind) {
        Some(CmdKind::Assert(Check::NullDereference, holds)) => is_constant(function, *holds),
        _ => false,
    }
}

fn rests_on_check(function: &Function, core: &Core) -> bool {
    let is_check = |statement: &Statement| {
        let cmd = function.blocks[statement.block].cmds.get(statement.index as usize);
        matches!(cmd.map(|cmd| &cmd.kind), Some(CmdKind::Assert(..)))
    };
    !core.after.is_empty() || core.needs_end || core.before.iter().any(is_check)
}

/// `n = (int)m; if (n != m)`: it cannot fail where the types are equally wide.
fn undoes_conversion(function: &Function, condition: Expr) -> bool {
    let defined = |expr: Expr| {
        let expr = without_casts(function, expr);
        match function.exprs[expr] {
            ExprData::Var(var) => match function.vars[var].definition {
                Definition::Command(block, index) => match function.blocks[block].cmds[index as usize].kind {
                    CmdKind::Define(_, value) => without_casts(function, value),
                    _ => expr,
                },
                _ => expr,
            },
            _ => expr,
        }
    };
    let operands = function.exprs[condition].operands();
    let [a, b] = operands[..] else { return false };
    let is_number = |expr: Expr| matches!(function.exprs[expr], ExprData::Const(..));
    let same = |a: Expr, b: Expr| !is_number(a) && (a == b || function.exprs[a] == function.exprs[b]);
    same(defined(a), without_casts(function, b)) || same(without_casts(function, a), defined(b)) || same(defined(a), defined(b))
}

/// A comparison with the largest numbers there are, such as SIZE_MAX.
fn reaches_limit(function: &Function, condition: Expr) -> bool {
    function.exprs[condition].operands().iter().any(|&operand| match function.exprs[operand] {
        ExprData::Const(Type::Int(bits), value) => {
            bits >= 32 && value >= (1 << (bits - 1)) - 1 && value != 1 << (bits - 1)
        }
        _ => false,
    })
}

/// Does the configuration decide how the variable is set, or whether it is changed before the test?
fn is_changed_in_other_configuration(
    function: &Function,
    source: &dyn Source,
    definition: Statement,
    edge: Block,
) -> bool {
    let cmd = &function.blocks[definition.block].cmds[definition.index as usize];
    let (CmdKind::Define(var, _), Some(test)) = (&cmd.kind, function.blocks[edge].cmds.first()) else { return false };
    let VarOf::Source(variable) = function.vars[*var].of else { return false };
    let name = &function.sources[variable].name;
    let plain = name.split('.').next().unwrap_or(name);
    source.is_conditional_between(plain, cmd.loc, test.loc)
}

/// The edge goes straight to a place that other ways lead to as well.
fn holds_no_code(function: &Function, edge: Block) -> bool {
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

/// `if (p) free(p);`: the test only keeps a release from something that is not there.
fn guards_release_only(function: &Function, edge: Block, condition: Expr) -> bool {
    let ExprData::Binary(BinaryOp::Eq, _, _) = function.exprs[condition] else { return false };
    if !holds_no_code(function, edge) {
        return false;
    }
    let Some(branch) = function.blocks[edge].branch else { return false };
    let mut other = None;
    for (block, data) in &function.blocks {
        if block != edge && data.branch.is_some_and(|b| b.condition == branch.condition) {
            other = Some(block);
        }
    }
    let Some(mut block) = other else { return false };
    let mut releases = 0;
    let mut is_first = true;
    loop {
        let data = &function.blocks[block];
        for cmd in &data.cmds[usize::from(is_first).min(data.cmds.len())..] {
            match &cmd.kind {
                CmdKind::Update { effect: Effect::Free { .. } | Effect::Call(_), .. } => releases += 1,
                CmdKind::Assert(..) | CmdKind::Define(..) | CmdKind::Update { effect: Effect::ClobberErrno, .. } => {}
                CmdKind::Update { effect: Effect::Store { .. }, .. } if releases > 0 => {}
                _ => return false,
            }
        }
        is_first = false;
        match &data.next {
            Next::Goto(targets) if targets.len() == 1 => {
                if predecessors(function, targets[0]) > 1 {
                    return releases == 1;
                }
                block = targets[0];
            }
            _ => return false,
        }
    }
}

/// `if (fd != -1) close(fd);` where there is nothing to close: all that is dead is the release of what was tested.
fn releases_only(function: &Function, edge: Block, condition: Expr) -> bool {
    let tested = variables(function, &[condition]);
    let mut block = edge;
    let mut releases = 0;
    loop {
        let data = &function.blocks[block];
        for cmd in &data.cmds[usize::from(block == edge)..] {
            let given: &[Expr] = match &cmd.kind {
                CmdKind::Update { effect: Effect::Free { pointer }, .. } => &[*pointer],
                CmdKind::Update { effect: Effect::Call(call), .. } if call.args.len() == 1 => &call.args,
                CmdKind::Assert(..) | CmdKind::Define(..) | CmdKind::Update { effect: Effect::ClobberErrno, .. } => continue,
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

/// Does another machine or configuration decide otherwise, although no variable does?
fn depends_on_machine(function: &Function, condition: Expr) -> bool {
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
    let number = operands.iter().any(|&operand| {
        matches!(function.exprs[operand], ExprData::Const(_, value) if value != 0)
    });
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

/// What a variable that nobody wrote stands for.
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
