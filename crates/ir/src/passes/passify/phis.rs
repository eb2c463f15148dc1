//! Where phis stand: at the blocks where two values of a slot meet and one of them may still be read.

use super::{Flow, Slots};
use crate::gc;
use crate::passive::Block;
use crate::table::table;
use cranelift_entity::SecondaryMap;

/// The slots that need a phi, for each block.
pub(super) fn place(f: &gc::Function, flow: &Flow, slots: &Slots) -> SecondaryMap<Block, Vec<usize>> {
    let uses = Uses::new(f, flow, slots);
    let frontiers = frontiers(flow);
    let blocks = flow.order.len();
    let mut placed: SecondaryMap<Block, Vec<usize>> = table(blocks);
    // Stamps of the slot that marked a block last, so that nothing needs clearing.
    let no_slot = || {
        let mut stamps: SecondaryMap<Block, usize> = SecondaryMap::with_default(usize::MAX);
        stamps.resize(blocks);
        stamps
    };
    let (mut live, mut has_phi, mut defines) = (no_slot(), no_slot(), no_slot());
    let mut work: Vec<Block> = Vec::new();
    for slot in 0..slots.all.len() {
        if uses.defined[slot].is_empty() || uses.exposed[slot].is_empty() {
            continue;
        }
        for &block in &uses.defined[slot] {
            defines[block] = slot;
        }
        for &block in &uses.exposed[slot] {
            live[block] = slot;
            work.push(block);
        }
        while let Some(block) = work.pop() {
            for &pred in &flow.predecessors[block] {
                if defines[pred] != slot && live[pred] != slot {
                    live[pred] = slot;
                    work.push(pred);
                }
            }
        }
        work.extend(&uses.defined[slot]);
        while let Some(block) = work.pop() {
            for &join in &frontiers[block] {
                if live[join] == slot && has_phi[join] != slot {
                    has_phi[join] = slot;
                    placed[join].push(slot);
                    work.push(join);
                }
            }
        }
    }
    placed
}

/// Blocks that define a slot, and blocks that read it before they define it, by slot.
struct Uses {
    defined: Vec<Vec<Block>>,
    exposed: Vec<Vec<Block>>,
}

impl Uses {
    fn new(f: &gc::Function, flow: &Flow, slots: &Slots) -> Uses {
        let count = slots.all.len();
        let mut uses = Uses { defined: vec![Vec::new(); count], exposed: vec![Vec::new(); count] };
        let mut stack = Vec::new();
        for (at, &source) in &flow.order {
            let data = &f.blocks[source];
            for cmd in &data.cmds {
                stack.extend(cmd.exprs());
                uses.read(f, slots, at, &mut stack);
                let reads_memory =
                    matches!(cmd.kind, gc::CmdKind::Load { .. }) || super::changes_memory(&cmd.kind);
                if reads_memory {
                    uses.expose(slots.memory, at);
                }
                for slot in slots.defined(cmd) {
                    if uses.defined[slot].last() != Some(&at) {
                        uses.defined[slot].push(at);
                    }
                }
            }
            if let gc::Next::Return(value) = data.next {
                stack.extend(value);
                uses.read(f, slots, at, &mut stack);
                uses.expose(slots.memory, at);
            }
        }
        uses
    }

    fn read(&mut self, f: &gc::Function, slots: &Slots, at: Block, stack: &mut Vec<gc::Expr>) {
        while let Some(expr) = stack.pop() {
            let data = &f.exprs[expr];
            match *data {
                gc::ExprData::Var(var) => self.expose(var.as_u32() as usize, at),
                gc::ExprData::Initialised(var) => {
                    if let Some(slot) = slots.flags[var] {
                        self.expose(slot, at);
                    }
                }
                gc::ExprData::Valid(..) | gc::ExprData::Freeable(_) => self.expose(slots.memory, at),
                _ => {}
            }
            stack.extend(data.operands());
        }
    }

    fn expose(&mut self, slot: usize, at: Block) {
        if self.defined[slot].last() != Some(&at) && self.exposed[slot].last() != Some(&at) {
            self.exposed[slot].push(at);
        }
    }
}

/// Dominance frontiers: the joins at which a block's dominance ends.
fn frontiers(flow: &Flow) -> SecondaryMap<Block, Vec<Block>> {
    let mut frontiers: SecondaryMap<Block, Vec<Block>> = table(flow.order.len());
    for (join, preds) in &flow.predecessors {
        if preds.len() < 2 {
            continue;
        }
        for &pred in preds {
            let mut runner = Some(pred);
            // Above a block that has this join already, all others up to the dominator have it too.
            while runner != flow.dominators[join]
                && let Some(block) = runner
                && frontiers[block].last() != Some(&join)
            {
                frontiers[block].push(join);
                runner = flow.dominators[block];
            }
        }
    }
    frontiers
}
