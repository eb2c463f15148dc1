//! Which true contradictions would a programmer shrug at? (design.md, section 5)

use crate::explain::{Core, Subject, is_constant};
use crate::source::Source;
use cranelift_entity::EntitySet;
use gainsay_ir::gc::{BinaryOp, Origin, Outcome};
use gainsay_ir::passive::{Block, CmdKind, Effect, Expr, ExprData, Function, Next};
use gainsay_report::noise::Noise;

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
    (!can_end.contains(edge)).then_some(Noise::AssertionOnly)
}

/// What the reason shows.
pub(crate) fn by_reason(function: &Function, subject: Subject, core: &Core) -> Option<Noise> {
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
    match (branch.origin, branch.outcome) {
        (_, Outcome::Default | Outcome::MissingDefault) => return Some(Noise::Defensive),
        (Origin::ElseIf, Outcome::False) => return Some(Noise::Defensive),
        _ => {}
    }
    if core.before.len() == 1 && core.definitions.is_empty() && !compares_with_zero(function, *condition) {
        // The type alone decides: on another machine it may be wider.
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

fn compares_with_zero(function: &Function, condition: Expr) -> bool {
    function.exprs[condition].operands().iter().any(|&operand| {
        matches!(function.exprs[operand], ExprData::Const(_, 0))
    })
}
