//! Which true contradictions would a programmer shrug at? (design.md, section 5)

use crate::explain::{Core, Subject, is_constant, reachable};
use crate::source::Source;
use cranelift_entity::EntitySet;
use gainsay_ir::check::Check;
use gainsay_ir::gc::{BinaryOp, Origin, Outcome};
use gainsay_ir::passive::{Block, Cmd, CmdKind, Effect, Expr, ExprData, Function, Next, Sort};
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
pub(crate) fn by_reason(
    function: &Function,
    source: &dyn Source,
    subject: Subject,
    core: &Core,
) -> Option<Noise> {
    let Subject::Edge(edge) = subject else { return None };
    let data = &function.blocks[edge];
    let (branch, CmdKind::Assume(condition)) = (data.branch?, &data.cmds.first()?.kind) else { return None };
    let rests_on_check = !core.after.is_empty() || core.needs_end || core.before.iter().any(|statement| {
        let cmd = function.blocks[statement.block].cmds.get(statement.index as usize);
        matches!(cmd.map(|cmd| &cmd.kind), Some(CmdKind::Assert(..)))
    });
    if guards_release_only(function, edge, *condition) {
        return Some(Noise::Defensive);
    }
    if rests_on_check {
        return None;
    }
    let in_macro = |statement: &Statement| {
        let cmd = &function.blocks[statement.block].cmds[statement.index as usize];
        source.is_in_macro_definition(cmd.loc)
    };
    if core.before.iter().chain(&core.definitions).any(in_macro) {
        return Some(Noise::Macro);
    }
    match (branch.origin, branch.outcome) {
        (_, Outcome::Default | Outcome::MissingDefault) => return Some(Noise::Defensive),
        (Origin::ElseIf, Outcome::False) => return Some(Noise::Defensive),
        _ => {}
    }
    if core.before.len() == 1 && core.definitions.is_empty() && exceeds_wide_type(function, *condition) {
        // On another machine the type may be wider.
        return Some(Noise::Config);
    }
    holds_no_code(function, edge).then_some(Noise::Redundant)
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
                CmdKind::Assert(..) | CmdKind::Define(..) => {}
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
        ExprData::Var(var) => matches!(function.vars[var].sort, Sort::Value(ty) if width(ty)),
        _ => false,
    }
}
