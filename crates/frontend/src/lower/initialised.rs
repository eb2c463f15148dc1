//! Drops the checks of uninitialised variables that hold on every path.
//!
//! Lowering emits a check at every read. This forward analysis finds the variables that are assigned on all paths to a
//! read; checks of other variables are kept.

use gainsay_ir::gc::{Block, CmdKind, ExprData, Function, Next, Var};
use rustc_hash::FxHashMap;

/// Bit i: tracked variable i is initialised.
type Set = Vec<u64>;

pub(super) fn drop_evident_checks(function: &mut Function) {
    let tracked = tracked_variables(function);
    if tracked.is_empty() {
        return;
    }
    let words = tracked.len().div_ceil(64);
    // `None` is not reached yet, which is the neutral element of the meet.
    let mut at_entry: Vec<Option<Set>> = vec![None; function.blocks.len()];
    let entry = function.blocks.keys().next().expect("a function has an entry");
    at_entry[index(entry)] = Some(vec![0; words]);
    let mut work = vec![entry];
    while let Some(block) = work.pop() {
        let mut set = at_entry[index(block)].clone().expect("blocks on the list were reached");
        for cmd in &function.blocks[block].cmds {
            step(&tracked, &mut set, &cmd.kind);
        }
        let Next::Goto(targets) = &function.blocks[block].next else { continue };
        for &target in targets {
            if meet(&mut at_entry[index(target)], &set) {
                work.push(target);
            }
        }
    }
    for block in function.blocks.keys().collect::<Vec<_>>() {
        let Some(mut set) = at_entry[index(block)].take() else { continue };
        let exprs = &function.exprs;
        function.blocks[block].cmds.retain(|cmd| {
            let mut keep = true;
            if let CmdKind::Assert(_, holds) = cmd.kind
                && let ExprData::Initialised(var) = exprs[holds]
            {
                let bit = tracked[&var];
                // Runs that fail the check end here, so the variable is initialised afterwards.
                keep = set[bit / 64] & (1 << (bit % 64)) == 0;
                set[bit / 64] |= 1 << (bit % 64);
            }
            step(&tracked, &mut set, &cmd.kind);
            keep
        });
    }
}

fn tracked_variables(function: &Function) -> FxHashMap<Var, usize> {
    let mut tracked = FxHashMap::default();
    for block in function.blocks.values() {
        for cmd in &block.cmds {
            if let CmdKind::Assert(_, holds) = cmd.kind
                && let ExprData::Initialised(var) = function.exprs[holds]
            {
                let next = tracked.len();
                tracked.entry(var).or_insert(next);
            }
        }
    }
    tracked
}

fn step(tracked: &FxHashMap<Var, usize>, set: &mut Set, cmd: &CmdKind) {
    let (var, initialised) = match cmd {
        CmdKind::Assign(var, _) | CmdKind::Havoc(var) => (*var, true),
        CmdKind::Load { dst, .. } | CmdKind::Alloca { dst, .. } => (*dst, true),
        CmdKind::Call(call) => match call.dst {
            Some(dst) => (dst, true),
            None => return,
        },
        CmdKind::Enter(var) => (*var, false),
        _ => return,
    };
    if let Some(&bit) = tracked.get(&var) {
        if initialised {
            set[bit / 64] |= 1 << (bit % 64);
        } else {
            set[bit / 64] &= !(1 << (bit % 64));
        }
    }
}

/// Intersects; returns whether the set changed.
fn meet(old: &mut Option<Set>, new: &Set) -> bool {
    match old {
        None => {
            *old = Some(new.clone());
            true
        }
        Some(old) => {
            let mut changed = false;
            for (old, new) in old.iter_mut().zip(new) {
                changed |= *old & !new != 0;
                *old &= new;
            }
            changed
        }
    }
}

fn index(block: Block) -> usize {
    use cranelift_entity::EntityRef;
    block.index()
}
