//! Drops the blocks that the entry cannot reach and puts the others in reverse postorder: except in loops, a block stands
//! after its predecessors.

use crate::gc::{Block, BlockData, Function, Next};
use crate::graph;
use cranelift_entity::{PrimaryMap, SecondaryMap};

pub fn prune(mut function: Function) -> Function {
    let order = graph::reverse_postorder(&function.successors());
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
