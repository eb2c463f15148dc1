//! Which functions of a unit do not return, and which surely do, from their bodies.
//!
//! Only facts that hold for every run count: a function never returns if no way through it leads to a `return`; it
//! never leaves (exits, jumps away) if nothing it does can. Weak functions may be replaced by others, so nothing is
//! known of them.

use crate::gc::{Block, Callee, Cmd, CmdKind, Function, Linkage, Next, Symbol, Unit};
use cranelift_entity::{EntityRef, EntitySet, SecondaryMap};
use std::collections::VecDeque;

/// What is known of the functions of a unit.
#[derive(Clone, Debug, Default)]
pub struct Exits {
    /// No way leads to a return.
    never_return: EntitySet<Symbol>,
    /// If a run of them ends without error, it ends in return.
    never_leave: EntitySet<Symbol>,
    /// Every run of them ends in error.
    fail: EntitySet<Symbol>,
}

/// A block that a run can come to, up to a call that does not return.
struct Reached<'a> {
    block: Block,
    cmds: &'a [Cmd],
    /// The function that the last command calls and that does not return.
    stop: Option<Symbol>,
}

impl Exits {
    /// `functions` are those of the unit with their models applied.
    pub fn of(unit: &Unit, functions: &[Function]) -> Exits {
        let fixed: Vec<&Function> =
            functions.iter().filter(|f| unit.symbols[f.symbol].linkage != Linkage::Weak).collect();
        let mut exits = Exits::default();
        let callers = callers(&fixed);
        let until_stable = |step: &mut dyn FnMut(&Function) -> bool| until_stable(&fixed, &callers, step);
        until_stable(&mut |f| {
            let returns = exits.reached(f).iter().any(|part| exits.next(f, part) == Some(End::Return));
            !returns && exits.never_return.insert(f.symbol)
        });
        // Recursion alone leads nowhere, so this set shrinks from everything instead of growing from nothing.
        for f in &fixed {
            exits.never_leave.insert(f.symbol);
        }
        until_stable(&mut |f| {
            let leaves = exits.surely_returns(f.symbol) && exits.may_leave(f);
            if leaves {
                exits.never_leave.remove(f.symbol);
            }
            leaves
        });
        until_stable(&mut |f| {
            let is_candidate = exits.never_returns(f.symbol) && exits.surely_returns(f.symbol);
            is_candidate && exits.ends_in_error(f) && exits.fail.insert(f.symbol)
        });
        exits
    }

    pub fn never_returns(&self, symbol: Symbol) -> bool {
        self.never_return.contains(symbol)
    }

    /// If a run of the function ends without error, does it end in return?
    pub fn surely_returns(&self, symbol: Symbol) -> bool {
        self.never_leave.contains(symbol)
    }

    /// Does every run of the function end in error?
    pub fn always_fails(&self, symbol: Symbol) -> bool {
        self.fail.contains(symbol)
    }

    fn may_leave(&self, f: &Function) -> bool {
        let reached = self.reached(f);
        let leaves = |part: &Reached| {
            let calls_one = part.cmds.iter().any(|cmd| match &cmd.kind {
                CmdKind::Call(call) => {
                    let known = matches!(call.callee, Callee::Symbol(symbol) if self.surely_returns(symbol));
                    !call.returns && !known
                }
                _ => false,
            });
            calls_one || self.next(f, part) == Some(End::Raise)
        };
        // To run for ever is an end that somebody may want.
        reached.iter().any(leaves)
            || !all_lead_to(f, &reached, |part| part.stop.is_some() || self.next(f, part).is_some())
    }

    fn ends_in_error(&self, f: &Function) -> bool {
        all_lead_to(f, &self.reached(f), |part| self.next(f, part) == Some(End::Error))
    }

    /// How a run ends in the block; `None` if it goes on, or runs for ever in a callee.
    fn next(&self, f: &Function, part: &Reached) -> Option<End> {
        match (part.stop, &f.blocks[part.block].next) {
            (Some(callee), _) if self.always_fails(callee) => Some(End::Error),
            (Some(_), _) | (None, Next::Goto(_)) => None,
            (None, Next::Return(_)) => Some(End::Return),
            (None, Next::Raise) => Some(End::Raise),
            (None, Next::Error) => Some(End::Error),
        }
    }

    fn reached<'f>(&self, f: &'f Function) -> Vec<Reached<'f>> {
        let mut seen: EntitySet<Block> = EntitySet::new();
        let mut reached = Vec::new();
        let mut work = vec![Block::new(0)];
        while let Some(block) = work.pop() {
            if !seen.insert(block) {
                continue;
            }
            let data = &f.blocks[block];
            let stop = self.first_stop(&data.cmds);
            if stop.is_none() {
                work.extend(data.next.targets());
            }
            let len = stop.map_or(data.cmds.len(), |(index, _)| index + 1);
            reached.push(Reached { block, cmds: &data.cmds[..len], stop: stop.map(|(_, callee)| callee) });
        }
        reached
    }

    /// The first command that calls a function which does not return.
    fn first_stop(&self, cmds: &[Cmd]) -> Option<(usize, Symbol)> {
        cmds.iter().enumerate().find_map(|(index, cmd)| match &cmd.kind {
            CmdKind::Call(call) => match call.callee {
                Callee::Symbol(symbol) if self.never_returns(symbol) => Some((index, symbol)),
                _ => None,
            },
            _ => None,
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Return,
    Raise,
    Error,
}

/// Does a way lead from each of the blocks to one of the wanted kind?
fn all_lead_to(f: &Function, reached: &[Reached], is_wanted: impl Fn(&Reached) -> bool) -> bool {
    let mut before: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
    let mut work = Vec::new();
    for part in reached {
        if is_wanted(part) {
            work.push(part.block);
        } else if part.stop.is_none() {
            for &target in f.blocks[part.block].next.targets() {
                before[target].push(part.block);
            }
        }
    }
    let mut leads: EntitySet<Block> = EntitySet::new();
    while let Some(block) = work.pop() {
        if leads.insert(block) {
            work.extend(&before[block]);
        }
    }
    reached.iter().all(|part| leads.contains(part.block))
}

/// For each function of the list, those that call it, as numbers in the list.
fn callers(functions: &[&Function]) -> SecondaryMap<Symbol, Vec<usize>> {
    let mut callers: SecondaryMap<Symbol, Vec<usize>> = SecondaryMap::new();
    for (number, f) in functions.iter().enumerate() {
        for cmd in f.blocks.values().flat_map(|data| &data.cmds) {
            if let CmdKind::Call(call) = &cmd.kind
                && let Callee::Symbol(callee) = call.callee
                && callers[callee].last() != Some(&number)
            {
                callers[callee].push(number);
            }
        }
    }
    callers
}

/// Takes the step for all functions, and again for those that call one for which it changed something, until it changes
/// nothing.
fn until_stable(
    functions: &[&Function],
    callers: &SecondaryMap<Symbol, Vec<usize>>,
    step: &mut dyn FnMut(&Function) -> bool,
) {
    let mut work: VecDeque<usize> = (0..functions.len()).collect();
    let mut waits = vec![true; functions.len()];
    while let Some(number) = work.pop_front() {
        waits[number] = false;
        let f = functions[number];
        if step(f) {
            for &caller in &callers[f.symbol] {
                if !std::mem::replace(&mut waits[caller], true) {
                    work.push_back(caller);
                }
            }
        }
    }
}

/// Blocks end where they call a function that does not return; other calls say where they surely return.
pub fn end_at_exits(exits: &Exits, mut f: Function) -> Function {
    for data in f.blocks.values_mut() {
        if let Some((index, callee)) = exits.first_stop(&data.cmds) {
            data.cmds.truncate(index + 1);
            data.next = if exits.always_fails(callee) { Next::Error } else { Next::Raise };
        }
        for cmd in &mut data.cmds {
            if let CmdKind::Call(call) = &mut cmd.kind
                && let Callee::Symbol(symbol) = call.callee
            {
                call.returns |= exits.surely_returns(symbol);
            }
        }
    }
    f
}
