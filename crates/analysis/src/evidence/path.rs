//! A path with the evidence of its edges.

use super::kinds::EdgeKind;
use super::settings::{Evidence, EvidenceSettings};
use crate::limits::EVIDENCE_MANY_ITERATIONS;
use gainsay_ir::gc;
use gainsay_ir::passes::segments::Cut;
use gainsay_ir::passive::{Block, Function};
use gainsay_program::instrument_calls::CalleeCheck;
use std::collections::BTreeMap;

/// What the rules of evidence need to know of the function before unrolling.
pub(super) struct EvidenceGraph<'a> {
    pub(super) kinds: BTreeMap<gc::Block, EdgeKind>,
    pub(super) cuts: &'a [Cut],
    /// The block that each block of the unrolled function copies; `None` where runs with too many iterations
    /// end.
    pub(super) original: Vec<Option<gc::Block>>,
    pub(super) settings: &'a EvidenceSettings,
    /// Paths into callees, by the block of the check that ends them.
    pub(super) sites: &'a BTreeMap<gc::Block, CalleeCheck<'a>>,
}

/// A branch edge on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PathEdge {
    pub(super) kind: EdgeKind,
    pub(super) evidence: Evidence,
    /// How often the run has reached the head of the loop that the kind refers to; 0 if there is none.
    pub(super) rounds: u32,
}

impl EvidenceGraph<'_> {
    pub(super) fn original(&self, block: Block) -> Option<gc::Block> {
        self.original.get(block.as_u32() as usize).copied().flatten()
    }

    /// The callee's precondition, if the block ends a path into a callee.
    pub(super) fn site(&self, block: Block) -> Option<&CalleeCheck<'_>> {
        self.sites.get(&self.original(block)?)
    }

    pub(super) fn kind(&self, block: Block) -> Option<EdgeKind> {
        self.kinds.get(&self.original(block)?).copied()
    }

    /// The evidence of each block of the path, if it is a branch edge.
    pub(super) fn edges(&self, path: &[Block]) -> Vec<Option<PathEdge>> {
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
                PathEdge { kind, evidence: kind.evidence(self.settings, rounds), rounds }
            }));
        }
        edges
    }

    /// Whether the edge can testify on some path.
    pub(super) fn may_testify(&self, block: Block) -> bool {
        let testifies = |kind: EdgeKind| {
            (1..=EVIDENCE_MANY_ITERATIONS)
                .any(|rounds| kind.evidence(self.settings, rounds) == Evidence::Admissible)
        };
        self.kind(block).is_some_and(testifies)
    }
}

/// The blocks that a run enters up to `to`, given the edges that it takes.
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
