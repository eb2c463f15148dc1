//! The spine of an edge: the blocks that every run through it passes.
//!
//! Most contradictions are between statements of the spine. A question about it alone, with nothing known of what lies
//! between its blocks, allows more runs than the function has, so `unsat` says the same; and it is small, however large
//! the function is.

use cranelift_entity::EntitySet;
use gainsay_ir::passive::{Block, BlockData, Function, Next};
use gainsay_vc::Options;

/// What every run within `within` passes that goes through the edge and ends; without the edge if no way leads to it.
pub(crate) fn must_pass_blocks(
    function: &Function,
    edge: Block,
    within: &EntitySet<Block>,
) -> EntitySet<Block> {
    let mut must_pass_blocks = EntitySet::new();
    // The last block that a way leads to which has been met; `None` if a way has ended.
    let mut furthest = Some(Block::from_u32(0));
    // Blocks are in topological order: no way leads past a block if none leads further.
    for (block, data) in function.blocks.iter().filter(|(block, _)| within.contains(*block)) {
        let Some(last) = furthest else { break };
        if last == block {
            must_pass_blocks.insert(block);
        }
        // No step leads past the edge.
        let is_step = |target: &Block| within.contains(*target) && (block >= edge || *target <= edge);
        furthest = data.next.targets().iter().copied().filter(is_step).max().max(Some(last));
        if block >= edge && may_end(data) {
            furthest = None;
        }
    }
    must_pass_blocks
}

/// Only what all runs within `within` pass that go through the edge.
pub(crate) fn must_pass_options(function: &Function, edge: Block, within: EntitySet<Block>) -> Options {
    Options {
        must_pass_blocks: Some(must_pass_blocks(function, edge, &within)),
        within: Some(within),
        ..Options::default()
    }
}

/// May a run end in the block?
fn may_end(data: &BlockData) -> bool {
    !matches!(data.next, Next::Goto(_)) || data.may_stop()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::blocks_of_runs_through;
    use crate::pipeline::passive_form;
    use gainsay_ir::parse;

    const HEAD: &str = "target ptr64 little\nfunction @f(i32) -> i32 external\nfunction @stop() external\n\n\
                        func @f(n: i32) -> i32 {\n";

    /// The spine of the edge where `n` is this.
    fn spine_of(n: u32, text: &str) -> Vec<u32> {
        let unit = parse::unit(&format!("{HEAD}{text}}}\n")).unwrap();
        let function = passive_form(&unit, &unit.functions[0]).unwrap();
        let (edge, _) =
            function.blocks.iter().find(|(_, data)| data.branch.is_some_and(|b| b.condition == n)).unwrap();
        let within = blocks_of_runs_through(&function, edge);
        must_pass_blocks(&function, edge, &within)
            .iter()
            .map(|block| function.blocks[block].source.as_u32())
            .collect()
    }

    #[test]
    fn what_only_some_runs_pass_is_no_part_of_it() {
        let text = "b0:\n  goto b1, b2\nb1:\n  assume n == 1i32\n  goto b3\nb2:\n  assume n != 1i32\n  goto b3\n\
                    b3:\n  goto b4, b5\nb4: [if true 7]\n  assume n == 2i32\n  goto b6\nb5:\n  assume n != 2i32\n  goto b6\n\
                    b6:\n  goto b7, b8\nb7:\n  assume n == 3i32\n  goto b9\nb8:\n  assume n != 3i32\n  goto b9\n\
                    b9:\n  return n\n";
        assert_eq!(spine_of(7, text), [0, 3, 4, 6, 9]);
    }

    #[test]
    fn a_way_round_the_edge_is_none_through_it() {
        let text = "b0:\n  goto b1, b2\nb1: [if true 7]\n  assume n == 1i32\n  goto b2\nb2:\n  return n\n";
        assert_eq!(spine_of(7, text), [0, 1, 2]);
    }

    #[test]
    fn it_ends_where_a_run_may_end() {
        let text = "b0:\n  goto b1, b2\nb1: [if true 7]\n  assume n == 1i32\n  goto b3, b4\nb2:\n  return 0i32\n\
                    b3:\n  assume n == 2i32\n  return 1i32\nb4:\n  assume n != 2i32\n  goto b5\nb5:\n  return 2i32\n";
        assert_eq!(spine_of(7, text), [0, 1]);
        let text = "b0:\n  goto b1\nb1: [if true 7]\n  assume n == 1i32\n  goto b2\nb2:\n  call @stop()\n  goto b3\n\
                    b3:\n  return 2i32\n";
        assert_eq!(spine_of(7, text), [0, 1, 2]);
    }
}
