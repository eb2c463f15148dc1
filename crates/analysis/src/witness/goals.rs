//! The goals of the search, and how far away they are.

use super::Search;
use crate::limits::ATTEMPTS_PER_GOAL;
use gainsay_ir::passive::Block;

impl Search<'_> {
    /// Computes the nearest goal of every block.
    pub(super) fn measure(&mut self) {
        self.changed = None;
        for block in self.function.blocks.keys().rev() {
            self.distance[block] = self.nearest(block);
        }
    }

    /// Updates the distances after some goals were reached: those of other goals have not changed. A boundary becomes a
    /// goal when its edge is reached.
    pub(super) fn measure_again(&mut self) {
        // Blocks are in topological order: no path leads from later blocks to what has changed.
        let Some(last) = self.changed.take() else { return };
        for block in (0..=last.as_u32()).rev().map(Block::from_u32) {
            let is_gone = |(_, goal)| !self.is_goal(goal);
            if self.aims_at_boundaries || self.distance[block].is_some_and(is_gone) {
                self.distance[block] = self.nearest(block);
            }
        }
    }

    pub(super) fn note_change(&mut self, goal: Block) {
        self.changed = self.changed.max(Some(goal));
    }

    pub(super) fn note_failure(&mut self, goal: Block) {
        self.tries[goal] += 1;
        if self.tries[goal] >= ATTEMPTS_PER_GOAL {
            self.note_change(goal);
        }
    }

    /// The nearest goal of a block, given those of its successors.
    fn nearest(&self, block: Block) -> Option<(u32, Block)> {
        let mut nearest = if self.is_goal(block) { Some((0, block)) } else { None };
        for &target in self.function.blocks[block].next.targets() {
            if let Some((steps, goal)) = self.distance[target]
                && self.plan.allows(block, target)
                && nearest.is_none_or(|(best, _)| steps + 1 < best)
            {
                nearest = Some((steps + 1, goal));
            }
        }
        nearest
    }
}
