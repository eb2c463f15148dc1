//! Drop the blocks that the entry cannot reach; the others keep their order.

use crate::gc::{Block, BlockData, Function, Next};
use cranelift_entity::{PrimaryMap, SecondaryMap};

pub fn prune(mut function: Function) -> Function {
    let mut reached: SecondaryMap<Block, bool> = SecondaryMap::with_capacity(function.blocks.len());
    let mut work: Vec<Block> = function.blocks.keys().next().into_iter().collect();
    for &entry in &work {
        reached[entry] = true;
    }
    while let Some(block) = work.pop() {
        if let Next::Goto(targets) = &function.blocks[block].next {
            for &target in targets {
                if !reached[target] {
                    reached[target] = true;
                    work.push(target);
                }
            }
        }
    }
    let mut renamed: SecondaryMap<Block, Option<Block>> = SecondaryMap::with_capacity(function.blocks.len());
    let mut blocks = PrimaryMap::new();
    for (block, data) in &mut function.blocks {
        if reached[block] {
            let empty = BlockData { branch: None, cmds: Vec::new(), next: Next::Raise };
            renamed[block] = Some(blocks.push(std::mem::replace(data, empty)));
        }
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
