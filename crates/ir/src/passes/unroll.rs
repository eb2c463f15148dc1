//! Unrolls loops a fixed number of times. The result is acyclic and has exactly the runs of the function that reach loop
//! heads at most that often in total, so what is possible in it is possible in the function.
//!
//! Each block is copied once for each number of loop heads that a run has passed before it.

use crate::gc::{Block, BlockData, Function, Next};
use crate::passes::segments::Cut;
use cranelift_entity::PrimaryMap;
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
pub struct Unrolled {
    pub f: Function,
    /// The copies of each block that is reached.
    pub copies: BTreeMap<Block, Vec<Block>>,
}

/// `cuts` are the heads of the function's loops. A run that would reach heads more often ends in error.
pub fn unroll(f: &Function, cuts: &[Cut], times: u32) -> Unrolled {
    let mut unroller = Unroller {
        f,
        cuts: cuts.iter().map(|cut| (cut.head, cut)).collect(),
        times,
        blocks: PrimaryMap::new(),
        numbers: BTreeMap::new(),
        todo: Vec::new(),
        too_often: None,
        stayed: None,
    };
    unroller.copy(Block::from_u32(0), 0);
    while let Some((block, count, copy)) = unroller.todo.pop() {
        unroller.lead(block, count, copy);
    }
    let mut copies: BTreeMap<Block, Vec<Block>> = BTreeMap::new();
    for (&(block, _), &copy) in &unroller.numbers {
        copies.entry(block).or_default().push(copy);
    }
    Unrolled { f: Function { blocks: unroller.blocks, ..f.clone() }, copies }
}

struct Unroller<'a> {
    f: &'a Function,
    cuts: BTreeMap<Block, &'a Cut>,
    times: u32,
    blocks: PrimaryMap<Block, BlockData>,
    numbers: BTreeMap<(Block, u32), Block>,
    todo: Vec<(Block, u32, Block)>,
    /// The end of runs that reach heads too often.
    too_often: Option<Block>,
    /// The end of runs that stay in an endless loop.
    stayed: Option<Block>,
}

impl Unroller<'_> {
    fn copy(&mut self, block: Block, count: u32) -> Block {
        if let Some(&copy) = self.numbers.get(&(block, count)) {
            return copy;
        }
        let copy = self.blocks.push(self.f.blocks[block].clone());
        self.numbers.insert((block, count), copy);
        self.todo.push((block, count, copy));
        copy
    }

    fn lead(&mut self, block: Block, count: u32, copy: Block) {
        let Next::Goto(targets) = &self.f.blocks[block].next else { return };
        let targets = targets.iter().map(|&target| self.target(block, count, target)).collect();
        self.blocks[copy].next = Next::Goto(targets);
    }

    fn target(&mut self, block: Block, count: u32, target: Block) -> Block {
        let Some(&cut) = self.cuts.get(&target) else { return self.copy(target, count) };
        let again = if count < self.times {
            self.copy(target, count + 1)
        } else {
            let end = || BlockData { branch: None, cmds: Vec::new(), next: Next::Error };
            *self.too_often.get_or_insert_with(|| self.blocks.push(end()))
        };
        if !cut.is_meant_to_stay || !cut.members.contains(&block) {
            return again;
        }
        let end = || BlockData { branch: None, cmds: Vec::new(), next: Next::Raise };
        let stayed = *self.stayed.get_or_insert_with(|| self.blocks.push(end()));
        let next = Next::Goto([again, stayed].into_iter().collect());
        self.blocks.push(BlockData { branch: None, cmds: Vec::new(), next })
    }
}
