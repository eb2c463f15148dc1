//! Control dependence: which branch edges decide whether a run reaches a block.

use cranelift_entity::EntitySet;
use gainsay_ir::passive::{Block, Function};
use std::collections::BTreeSet;

/// The edges that lead to the block while another edge of the same branch bypasses it, or may.
pub(super) fn controlling(function: &Function, to: Block) -> BTreeSet<Block> {
    let mut can: EntitySet<Block> = EntitySet::new();
    let mut must: EntitySet<Block> = EntitySet::new();
    can.insert(to);
    must.insert(to);
    let mut edges = BTreeSet::new();
    // Blocks are in topological order.
    for (block, data) in function.blocks.iter().rev().filter(|(block, _)| *block < to) {
        let targets = data.next.targets();
        let n_can = targets.iter().filter(|&&target| can.contains(target)).count();
        let n_must = targets.iter().filter(|&&target| must.contains(target)).count();
        if n_can == 0 {
            continue;
        }
        can.insert(block);
        if n_must == targets.len() {
            must.insert(block);
        } else if n_can < targets.len() || n_must > 0 {
            let is_towards =
                |target: &&Block| can.contains(**target) && (n_must == 0 || must.contains(**target));
            edges.extend(
                targets
                    .iter()
                    .filter(is_towards)
                    .filter(|&&target| target != to || data.next.targets().len() > 1),
            );
        }
    }
    edges
}
