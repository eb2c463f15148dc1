//! What a function surely leaves behind: the pointers that its parameters point to and that are NULL whenever it returns
//! (papers/semantic-inconsistency-inference, section 5.1: only what must be so is followed).

use super::Source;
use super::sources::Sources;
use crate::gc::{Block, CmdKind, Expr, ExprData, Function, Next};
use crate::types::Type;
use cranelift_entity::SecondaryMap;
use std::collections::BTreeSet;

/// In order.
pub(super) fn nulled(f: &Function, sources: &Sources) -> Vec<u32> {
    let stores = f.blocks.values().flat_map(|data| &data.cmds);
    if !stores.into_iter().any(|cmd| store_of_null(f, &cmd.kind).is_some()) {
        return Vec::new();
    }
    let mut at_start: SecondaryMap<Block, Option<BTreeSet<u32>>> = SecondaryMap::new();
    let mut at_returns: Option<BTreeSet<u32>> = None;
    let Some(entry) = f.blocks.keys().next() else { return Vec::new() };
    at_start[entry] = Some(BTreeSet::new());
    let mut work = vec![entry];
    while let Some(block) = work.pop() {
        let Some(mut null) = at_start[block].clone() else { continue };
        for cmd in &f.blocks[block].cmds {
            pass(f, sources, &cmd.kind, &mut null);
        }
        for &target in f.blocks[block].next.targets() {
            let met = match &at_start[target] {
                Some(before) => before.intersection(&null).copied().collect(),
                None => null.clone(),
            };
            if at_start[target].as_ref() != Some(&met) {
                at_start[target] = Some(met);
                work.push(target);
            }
        }
    }
    for (block, data) in &f.blocks {
        if let (Next::Return(_), Some(mut null)) = (&data.next, at_start[block].clone()) {
            for cmd in &data.cmds {
                pass(f, sources, &cmd.kind, &mut null);
            }
            at_returns = Some(match at_returns {
                Some(before) => before.intersection(&null).copied().collect(),
                None => null,
            });
        }
    }
    at_returns.into_iter().flatten().collect()
}

fn pass(f: &Function, sources: &Sources, kind: &CmdKind, null: &mut BTreeSet<u32>) {
    match kind {
        // NULL over NULL is NULL, wherever it goes.
        CmdKind::Store { .. } if store_of_null(f, kind).is_some() => null.extend(store_of_null(f, kind)),
        CmdKind::Store { addr, .. } if is_local(sources, *addr) => {}
        CmdKind::Store { .. }
        | CmdKind::Copy { .. }
        | CmdKind::Fill { .. }
        | CmdKind::Free(_)
        | CmdKind::Clobber(_)
        | CmdKind::Call(_) => null.clear(),
        CmdKind::Assign(..)
        | CmdKind::Havoc(_)
        | CmdKind::Enter(_)
        | CmdKind::EnterObject(_)
        | CmdKind::Assume(_)
        | CmdKind::Assert(..)
        | CmdKind::Load { .. }
        | CmdKind::Alloca { .. }
        | CmdKind::Allocate { .. } => {}
    }
}

fn is_local(sources: &Sources, addr: Expr) -> bool {
    let places = sources.of_address(addr);
    !places.is_empty() && places.iter().all(|place| *place == Source::Local)
}

/// The parameter through which NULL is stored, if it still has the value that it was given.
fn store_of_null(f: &Function, kind: &CmdKind) -> Option<u32> {
    let CmdKind::Store { addr, value, access } = kind else { return None };
    let (ExprData::Var(var), ExprData::Const(Type::Ptr, 0)) = (f.exprs[*addr], f.exprs[*value]) else {
        return None;
    };
    let param = f.params.iter().position(|&param| param == var)?;
    let is_assigned = f.blocks.values().flat_map(|data| &data.cmds).any(|cmd| cmd.assigned() == Some(var));
    (access.ty == Type::Ptr && !access.volatile && !is_assigned).then_some(param as u32)
}
