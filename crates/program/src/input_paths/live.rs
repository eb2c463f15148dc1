//! Live variables, so that paths that differ only in dead ones can be merged.

use cranelift_entity::SecondaryMap;
use gainsay_ir::gc::{Block, Cmd, Expr, ExprData, Function, Next, Var};
use std::collections::BTreeSet;

/// At the start of each block.
pub(super) fn live(f: &Function) -> SecondaryMap<Block, BTreeSet<Var>> {
    let mut at_start: SecondaryMap<Block, BTreeSet<Var>> = SecondaryMap::new();
    loop {
        let mut has_changed = false;
        for (block, data) in f.blocks.iter().rev() {
            let mut live = BTreeSet::new();
            for &target in data.next.targets() {
                live.extend(&at_start[target]);
            }
            if let Next::Return(Some(value)) = data.next {
                read(f, value, &mut live);
            }
            data.cmds.iter().rev().for_each(|cmd| before(f, cmd, &mut live));
            if live != at_start[block] {
                at_start[block] = live;
                has_changed = true;
            }
        }
        if !has_changed {
            return at_start;
        }
    }
}

fn before(f: &Function, cmd: &Cmd, live: &mut BTreeSet<Var>) {
    if let Some(var) = cmd.assigned() {
        live.remove(&var);
    }
    cmd.exprs().into_iter().for_each(|expr| read(f, expr, live));
}

fn read(f: &Function, root: Expr, live: &mut BTreeSet<Var>) {
    let mut stack = vec![root];
    while let Some(expr) = stack.pop() {
        match &f.exprs[expr] {
            ExprData::Var(var) | ExprData::Initialised(var) => {
                live.insert(*var);
            }
            other => stack.extend(other.operands()),
        }
    }
}
