//! Which variables can matter at the start of each block: those that a condition, a check, or a memory access that
//! one of these depends on may still read. What only feeds itself, a result or a call does not matter.
//!
//! Memory is unknown at every cut but for some places, so a store mostly matters only to what is read before the next.

use crate::gc::{Block, CallBase, Clobber, Cmd, CmdKind, Expr, ExprData, Function, Var};
use crate::types::Type;
use cranelift_entity::{EntitySet, SecondaryMap};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Default, PartialEq, Eq)]
struct Live {
    vars: BTreeSet<Var>,
    /// The contents of memory are read.
    contents: bool,
    /// `valid` or `freeable` asks which memory is allocated.
    heap: bool,
}

/// For each block. `cuts` says of each whether contents of memory are carried over it. Floats are left out: nothing is
/// known of them.
pub(super) fn live(f: &Function, cuts: &BTreeMap<Block, bool>) -> SecondaryMap<Block, Vec<Var>> {
    let mut at_start: SecondaryMap<Block, Live> = SecondaryMap::new();
    let blocks: Vec<Block> = f.blocks.keys().collect();
    loop {
        let mut has_changed = false;
        for &block in blocks.iter().rev() {
            let mut live = Live::default();
            for &target in f.blocks[block].next.targets() {
                let there = &at_start[target];
                live.vars.extend(&there.vars);
                let carries = cuts.get(&target).copied();
                live.contents |= carries.unwrap_or(there.contents);
                live.heap |= carries.is_none() && there.heap;
            }
            for cmd in f.blocks[block].cmds.iter().rev() {
                live.before(f, cmd);
            }
            if at_start[block] != live {
                at_start[block] = live;
                has_changed = true;
            }
        }
        if !has_changed {
            break;
        }
    }
    let mut result: SecondaryMap<Block, Vec<Var>> = SecondaryMap::new();
    for block in blocks {
        let is_known = |var: &Var| !matches!(f.vars[*var].ty, Type::Float(_));
        result[block] = at_start[block].vars.iter().copied().filter(is_known).collect();
    }
    result
}

impl Live {
    /// From what matters after the command to what matters before it.
    fn before(&mut self, f: &Function, cmd: &Cmd) {
        match &cmd.kind {
            CmdKind::Assume(e) | CmdKind::Assert(_, e) => self.read(f, *e),
            CmdKind::Assign(var, value) => {
                if self.vars.remove(var) {
                    self.read(f, *value);
                }
            }
            CmdKind::Load { dst, addr, access } => {
                if self.vars.remove(dst) && !access.volatile {
                    self.contents = true;
                    self.read(f, *addr);
                }
            }
            CmdKind::Alloca { dst, size } | CmdKind::Allocate { dst, size, .. } => {
                if self.vars.remove(dst) {
                    self.read(f, *size);
                }
            }
            CmdKind::Store { .. }
            | CmdKind::Copy { .. }
            | CmdKind::Fill { .. }
            | CmdKind::Clobber(Clobber::Range { .. }) => {
                if self.contents {
                    cmd.exprs().into_iter().for_each(|e| self.read(f, e));
                }
            }
            CmdKind::Free(pointer) => {
                if self.heap {
                    self.read(f, *pointer);
                }
            }
            CmdKind::Havoc(var) | CmdKind::Enter(var) => {
                self.vars.remove(var);
            }
            CmdKind::Call(call) => {
                if let Some(dst) = &call.dst {
                    self.vars.remove(dst);
                }
                // A call that says where it writes is a store there.
                for write in call.writes.iter().flatten() {
                    if let (CallBase::Argument(i), true) = (write.base, self.contents) {
                        self.read(f, call.args[i as usize]);
                    }
                }
            }
            CmdKind::EnterObject(_) | CmdKind::Clobber(_) => {}
        }
    }

    fn read(&mut self, f: &Function, root: Expr) {
        let mut seen: EntitySet<Expr> = EntitySet::new();
        let mut stack = vec![root];
        while let Some(expr) = stack.pop() {
            if !seen.insert(expr) {
                continue;
            }
            match f.exprs[expr] {
                ExprData::Var(var) | ExprData::Initialised(var) => {
                    self.vars.insert(var);
                }
                ExprData::Valid(..) | ExprData::Freeable(_) => self.heap = true,
                _ => {}
            }
            stack.extend(f.exprs[expr].operands());
        }
    }
}
