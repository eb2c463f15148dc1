//! One path, with the evidence of its edges.

use super::kinds::Kind;
use super::settings::{Evidence, Settings};
use gainsay_ir::gc;
use gainsay_ir::passes::segments::Cut;
use gainsay_ir::passive::{Block, Function};
use gainsay_program::instrument_calls::CalleeCheck;
use std::collections::BTreeMap;

/// What the rules need to know of the function with its loops.
pub(super) struct Graph<'a> {
    pub(super) kinds: BTreeMap<gc::Block, Kind>,
    pub(super) cuts: &'a [Cut],
    /// What each block of the unrolled function is a copy of; `None` where runs that go round too often end.
    pub(super) original: Vec<Option<gc::Block>>,
    pub(super) settings: &'a Settings,
    /// Ways into callees, by the block of the check that ends them.
    pub(super) sites: &'a BTreeMap<gc::Block, CalleeCheck<'a>>,
}

/// An edge on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    pub(super) kind: Kind,
    pub(super) evidence: Evidence,
    /// How often the run has come to the head of its loop, if it has to do with one.
    pub(super) rounds: u32,
}

impl Graph<'_> {
    pub(super) fn original(&self, block: Block) -> Option<gc::Block> {
        self.original.get(block.as_u32() as usize).copied().flatten()
    }

    /// What a callee expects, if the block ends a way into it.
    pub(super) fn site(&self, block: Block) -> Option<&CalleeCheck<'_>> {
        self.sites.get(&self.original(block)?)
    }

    pub(super) fn kind(&self, block: Block) -> Option<Kind> {
        self.kinds.get(&self.original(block)?).copied()
    }

    /// The evidence of each block of the path that is an edge.
    pub(super) fn edges(&self, path: &[Block]) -> Vec<Option<Edge>> {
        let mut visits = vec![0u32; self.cuts.len()];
        let mut before: Option<gc::Block> = None;
        let mut edges = Vec::with_capacity(path.len());
        for &block in path {
            let Some(original) = self.original(block) else {
                edges.push(None);
                continue;
            };
            for (cut, visits) in self.cuts.iter().zip(&mut visits) {
                if original == cut.head {
                    let stays = before.is_some_and(|before| cut.members.contains(&before));
                    *visits = if stays { *visits + 1 } else { 1 };
                }
            }
            before = Some(original);
            edges.push(self.kind(block).map(|kind| {
                let rounds = kind.loop_of().and_then(|cut| visits.get(cut)).copied().unwrap_or_default();
                Edge { kind, evidence: kind.evidence(self.settings, rounds), rounds }
            }));
        }
        edges
    }

    /// Could the edge testify on some path?
    pub(super) fn may_testify(&self, block: Block) -> bool {
        let testifies =
            |kind: Kind| (1..4).any(|rounds| kind.evidence(self.settings, rounds) == Evidence::Admissible);
        self.kind(block).is_some_and(testifies)
    }
}

/// The blocks that a run enters, given which edges it takes, up to one of them.
pub(super) fn follow(function: &Function, is_taken: &[bool], to: Block) -> Option<Vec<Block>> {
    let mut block = function.blocks.keys().next()?;
    let mut path = vec![block];
    while block != to {
        let targets = function.blocks[block].next.targets();
        block = *targets.iter().find(|target| is_taken[target.as_u32() as usize])?;
        path.push(block);
    }
    Some(path)
}
