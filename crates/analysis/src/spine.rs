//! The spine of an edge: the blocks that every run through it passes.
//!
//! Most contradictions are between statements of the spine. A question about it alone, with nothing known of what lies
//! between its blocks, allows more runs than the function has, so `unsat` says the same; and it is small, however large
//! the function is.

use cranelift_entity::EntitySet;
use gainsay_ir::passive::{Block, BlockData, CmdKind, Effect, Function, Next};
use gainsay_solver::encode::Options;

/// What every run within `within` passes that goes through the edge and ends; without the edge if no way leads to it.
pub(crate) fn spine(function: &Function, edge: Block, within: &EntitySet<Block>) -> EntitySet<Block> {
    let mut spine = EntitySet::new();
    // The last block that a way leads to which has been met; `None` if a way has ended.
    let mut furthest = Some(Block::from_u32(0));
    // Blocks are in topological order: no way leads past a block if none leads further.
    for (block, data) in function.blocks.iter().filter(|(block, _)| within.contains(*block)) {
        let Some(last) = furthest else { break };
        if last == block {
            spine.insert(block);
        }
        // No step leads past the edge.
        let is_step = |target: &Block| within.contains(*target) && (block >= edge || *target <= edge);
        furthest = data.next.targets().iter().copied().filter(is_step).max().max(Some(last));
        if block >= edge && may_end(data) {
            furthest = None;
        }
    }
    spine
}

/// Only what all runs within `within` pass that go through the edge.
pub(crate) fn options_of_spine(function: &Function, edge: Block, within: EntitySet<Block>) -> Options {
    Options { spine: Some(spine(function, edge, &within)), within: Some(within), ..Options::default() }
}

/// May a run end in the block?
fn may_end(data: &BlockData) -> bool {
    !matches!(data.next, Next::Goto(_)) || data.cmds.iter().any(|cmd| may_stop(&cmd.kind))
}

/// May a run end there, and acceptably?
pub(crate) fn may_stop(cmd: &CmdKind) -> bool {
    matches!(cmd, CmdKind::Update { effect: Effect::Call(call), .. } if !call.returns)
}
