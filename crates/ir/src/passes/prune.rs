//! Drop the blocks that the entry cannot reach and put the others in reverse post-order: but for loops, a block
//! stands after what leads to it.

use crate::gc::{Block, BlockData, Function, Next};
use cranelift_entity::{PrimaryMap, SecondaryMap};

pub fn prune(mut function: Function) -> Function {
    let order = reverse_post_order(&function);
    let mut renamed: SecondaryMap<Block, Option<Block>> = SecondaryMap::with_capacity(function.blocks.len());
    let mut blocks = PrimaryMap::with_capacity(order.len());
    for block in order {
        let empty = BlockData { branch: None, cmds: Vec::new(), next: Next::Raise };
        renamed[block] = Some(blocks.push(std::mem::replace(&mut function.blocks[block], empty)));
    }
    for data in blocks.values_mut() {
        if let Next::Goto(targets) = &mut data.next {
            for target in targets {
                *target = renamed[*target].expect("a target of a reached block is reached");
            }
        }
    }
    function.blocks = blocks;
    function
}

/// The reachable blocks; of several targets the first comes first.
fn reverse_post_order(function: &Function) -> Vec<Block> {
    let mut seen: SecondaryMap<Block, bool> = SecondaryMap::with_capacity(function.blocks.len());
    let mut order = Vec::with_capacity(function.blocks.len());
    let mut stack = Vec::new();
    if let Some(entry) = function.blocks.keys().next() {
        seen[entry] = true;
        stack.push((entry, 0));
    }
    while let Some((block, visited)) = stack.pop() {
        let targets = targets(function, block);
        match targets.len().checked_sub(visited + 1) {
            Some(last) => {
                stack.push((block, visited + 1));
                let target = targets[last];
                if !seen[target] {
                    seen[target] = true;
                    stack.push((target, 0));
                }
            }
            None => order.push(block),
        }
    }
    order.reverse();
    order
}

fn targets(function: &Function, block: Block) -> &[Block] {
    match &function.blocks[block].next {
        Next::Goto(targets) => targets,
        _ => &[],
    }
}
