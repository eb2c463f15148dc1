//! Replaces every loop by one arbitrary iteration, so that the result has no cycles and at least the runs
//! of the original, up to how often an iteration is repeated.
//!
//! What the loop may change is forgotten where the loop is entered, so the one iteration stands for each of
//! them; an edge back to the head instead forgets the same again and goes on at any place that follows the
//! loop (at a copy of it, if it is an edge of a branch, so that only a real iteration shows that the branch
//! can leave the loop). So a branch taken in some iteration of a run is taken in a run of the result that ends alike; only
//! a run that fails in a later iteration of a loop is no longer one that took the branches of earlier ones.
//!
//! Loops are the cyclic components of the graph; within one, the edges back to its first block are cut and
//! the rest is searched again. A component with several entries (a goto into a loop) gets a block before
//! it that forgets and then goes to any of the entries.

mod effects;

use crate::gc::{Block, BlockData, Cmd, CmdKind, ExprData, Function, Loc, Next, Unit};
use crate::graph::{self, Graph, Nodes, Scratch};
use crate::types::Type;
use cranelift_entity::{EntityRef, SecondaryMap};
use effects::Effects;
pub(super) use effects::{Exposed, base};
use std::borrow::Cow;

/// The function without cycles. Blocks keep their numbers; new ones come after them.
pub fn cut_loops<'a>(unit: &Unit, f: &'a Function) -> Cow<'a, Function> {
    cut(unit, f, true)
}

/// For proofs: one arbitrary iteration, which ends where it would come back to the head. What holds whenever control is
/// at the head must be assumed there and asserted before it by commands of the function. A head that begins with
/// [`crate::gc::Clobber::is_frame`] lists in the commands after it which memory the loop changes; then only variables are forgotten.
pub fn cut_at_invariants<'a>(unit: &Unit, f: &'a Function) -> Cow<'a, Function> {
    cut(unit, f, false)
}

fn cut<'a>(unit: &Unit, f: &'a Function, goes_on: bool) -> Cow<'a, Function> {
    let successors = f.successors();
    let region = graph::reverse_postorder(&successors);
    let position = graph::positions(&region);
    let is_back =
        |&block: &Block| successors[block].iter().any(|&target| position[target] <= position[block]);
    if !region.iter().any(is_back) {
        return Cow::Borrowed(f);
    }
    let predecessors = graph::predecessors(&successors);
    let mut cutter = Cutter {
        unit,
        goes_on,
        f: f.clone(),
        exposed: Exposed::new(f),
        position,
        successors,
        predecessors,
        component: SecondaryMap::new(),
        components: 0,
    };
    let mut scratch = Scratch::default();
    let mut regions = vec![region];
    while let Some(region) = regions.pop() {
        for component in graph::cycles(&cutter.successors, &region, &mut scratch) {
            cutter.cut(&component);
            regions.push(component);
        }
    }
    Cow::Owned(cutter.finish())
}

/// The exit of `while (1)`.
pub(super) fn is_never_taken(f: &Function, block: Block) -> bool {
    match f.blocks[block].cmds.first().map(|cmd| &cmd.kind) {
        Some(CmdKind::Assume(holds)) => matches!(f.exprs[*holds], ExprData::Const(_, 0)),
        _ => false,
    }
}

struct Cutter<'a> {
    unit: &'a Unit,
    /// After the iteration the run continues after the loop.
    goes_on: bool,
    f: Function,
    exposed: Exposed,
    /// In reverse postorder.
    position: SecondaryMap<Block, u32>,
    /// The current edges.
    successors: Graph<Block>,
    predecessors: Graph<Block>,
    /// The last component that a block was found in.
    component: SecondaryMap<Block, u32>,
    components: u32,
}

impl Cutter<'_> {
    fn cut(&mut self, component: &[Block]) {
        self.components += 1;
        for &block in component {
            self.component[block] = self.components;
        }
        let mut entries: Vec<Block> =
            component.iter().copied().filter(|&block| self.is_entered(block)).collect();
        entries.sort_by_key(|&block| self.position[block]);
        let Some(&head) = entries.first() else { return };
        let effects = Effects::of(self.unit, &self.f, &self.exposed, component.iter().copied());
        let loc = self.f.blocks[head].cmds.first().map_or(Loc::new(0), |cmd| cmd.loc);

        let again = if self.goes_on {
            self.after_iteration(component, &effects, loc)
        } else {
            self.new_block(Vec::new(), Next::Raise, &[])
        };
        self.redirect(head, true, again);
        let first = self.f.blocks[head].cmds.first().map(|cmd| &cmd.kind);
        let is_framed = matches!(first, Some(CmdKind::Clobber(clobber)) if clobber.is_frame(&self.f));
        let mut forget = if !self.goes_on && is_framed {
            effects.forget_variables(loc)
        } else {
            effects.forget(self.unit, &mut self.f, loc)
        };
        if !self.goes_on && effects.may_free {
            // What was valid before may have been freed by an iteration before this one.
            let null = self.f.exprs.push(ExprData::Const(Type::Ptr, 0));
            forget.push(Cmd { kind: CmdKind::Free(null), loc });
        }
        let head_data = &mut self.f.blocks[head];
        let starts_with_assume =
            matches!(head_data.cmds.first().map(|cmd| &cmd.kind), Some(CmdKind::Assume(_)));
        if entries.len() == 1 && !starts_with_assume {
            head_data.cmds.splice(0..0, forget);
            return;
        }
        let before = self.new_block(forget, Next::Raise, &[]);
        for &entry in &entries {
            self.redirect(entry, false, before);
        }
        for &entry in &entries {
            self.successors[before].push(entry);
            self.predecessors[entry].push(before);
        }
    }

    /// The block that stands for all further iterations.
    fn after_iteration(&mut self, component: &[Block], effects: &Effects, loc: Loc) -> Block {
        let mut exits: Vec<Block> = component
            .iter()
            .flat_map(|&block| &self.successors[block])
            .copied()
            .filter(|&target| !self.is_inside(target))
            .collect();
        exits.sort();
        exits.dedup();
        exits.retain(|&exit| !is_never_taken(&self.f, exit));
        for exit in &mut exits {
            if self.is_edge_out(*exit) {
                *exit = self.copy_without_branch(*exit);
            }
        }
        // A loop without an exit is meant to run forever: staying in it is an acceptable end.
        let cmds = effects.forget(self.unit, &mut self.f, loc);
        self.new_block(cmds, Next::Raise, &exits)
    }

    /// Is the block an edge of a branch in the loop? Nothing else leads to it then, so it is in no loop.
    fn is_edge_out(&self, block: Block) -> bool {
        let preds = &self.predecessors[block];
        self.f.blocks[block].branch.is_some() && preds.iter().all(|&pred| self.is_inside(pred))
    }

    /// The edge as taken in some further iteration, of which nothing is known: reaching the copy does not show that the
    /// branch can take the edge, so the copy does not count as the edge.
    fn copy_without_branch(&mut self, block: Block) -> Block {
        let BlockData { cmds, next, .. } = self.f.blocks[block].clone();
        let targets = self.successors[block].clone();
        self.new_block(cmds, next, &targets)
    }

    fn new_block(&mut self, cmds: Vec<Cmd>, next: Next, targets: &[Block]) -> Block {
        let block = self.f.blocks.push(BlockData { branch: None, cmds, next });
        for &target in targets {
            self.predecessors[target].push(block);
        }
        self.successors.push(targets.into());
        self.predecessors.push(Nodes::new());
        block
    }

    /// Does an edge lead here from outside the current component?
    fn is_entered(&self, block: Block) -> bool {
        self.predecessors[block].iter().any(|&pred| !self.is_inside(pred))
    }

    fn is_inside(&self, block: Block) -> bool {
        self.component[block] == self.components
    }

    /// Makes all edges to `old` from inside or from outside the current component go to `new`.
    fn redirect(&mut self, old: Block, from_inside: bool, new: Block) {
        let preds = std::mem::take(&mut self.predecessors[old]);
        let (moved, kept) = preds.into_iter().partition(|&pred| self.is_inside(pred) == from_inside);
        self.predecessors[old] = kept;
        for &pred in &moved {
            for target in &mut self.successors[pred] {
                if *target == old {
                    *target = new;
                }
            }
        }
        self.predecessors[new].extend(moved);
    }

    fn finish(mut self) -> Function {
        for (block, data) in &mut self.f.blocks {
            let targets = &self.successors[block];
            if !targets.is_empty() {
                let mut unique: smallvec::SmallVec<[Block; 2]> = smallvec::SmallVec::new();
                for &target in targets {
                    if !unique.contains(&target) {
                        unique.push(target);
                    }
                }
                data.next = Next::Goto(unique);
            }
        }
        self.f
    }
}
