//! The inputs of an exact run.

use super::memory::Generation;
use gainsay_ir::gc::{Block, Symbol};
use std::collections::BTreeMap;

/// A command; the largest index stands for the end of the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Site {
    pub(super) f: Symbol,
    pub(super) block: Block,
    pub(super) index: u32,
}

/// The identity of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum InputKey {
    Param(u32),
    /// The content of a place in memory at entry, or after a havoc.
    Cell {
        region: u32,
        offset: u64,
        len: u64,
        generation: Generation,
    },
    /// The result of a call or a volatile read, the n-th time.
    Result(Site, u32),
    /// Which of several open successors is taken, the n-th time.
    Successor(Site, u32),
}

/// The inputs that were chosen; all others have the value `plain`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Inputs {
    chosen: BTreeMap<InputKey, u128>,
    pub(super) plain: u128,
}

impl Inputs {
    pub(super) fn all(plain: u128) -> Inputs {
        Inputs { chosen: BTreeMap::new(), plain }
    }

    pub(super) fn get(&self, key: &InputKey) -> Option<u128> {
        self.chosen.get(key).copied()
    }

    pub(super) fn set(&mut self, key: InputKey, value: u128) {
        self.chosen.insert(key, value);
    }
}

/// Regions with the same address in all runs of a search, so that pointers among the inputs stay meaningful.
#[derive(Default)]
pub(super) struct SharedRegions {
    symbols: BTreeMap<Symbol, u32>,
    inputs: BTreeMap<InputKey, u32>,
}

impl SharedRegions {
    pub(super) fn of_symbol(&mut self, symbol: Symbol) -> u32 {
        let next = self.next();
        *self.symbols.entry(symbol).or_insert(next)
    }

    /// The region that an input pointer points into.
    pub(super) fn of_input(&mut self, key: InputKey) -> u32 {
        let next = self.next();
        *self.inputs.entry(key).or_insert(next)
    }

    fn next(&self) -> u32 {
        (self.symbols.len() + self.inputs.len()) as u32
    }
}
