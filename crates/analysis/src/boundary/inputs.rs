//! What an exact run is given from outside.

use super::memory::Generation;
use gainsay_ir::gc::{Block, Symbol};
use std::collections::BTreeMap;

/// A command, or with the last index the end of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Site {
    pub(super) f: Symbol,
    pub(super) block: Block,
    pub(super) index: u32,
}

/// Which input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    Param(u32),
    /// What a place in memory holds at entry, or after something changed it.
    Cell {
        region: u32,
        offset: u64,
        len: u64,
        generation: Generation,
    },
    /// What a call gives, or a volatile read, the n-th time.
    Result(Site, u32),
    /// Which of several ways is taken, the n-th time.
    Way(Site, u32),
}

/// The inputs that were chosen; all other numbers have a plain value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Inputs {
    chosen: BTreeMap<Key, u128>,
    pub(super) plain: u128,
}

impl Inputs {
    pub(super) fn all(plain: u128) -> Inputs {
        Inputs { chosen: BTreeMap::new(), plain }
    }

    pub(super) fn get(&self, key: &Key) -> Option<u128> {
        self.chosen.get(key).copied()
    }

    pub(super) fn set(&mut self, key: Key, value: u128) {
        self.chosen.insert(key, value);
    }
}

/// Regions that have the same address in all runs, so that inputs mean the same.
#[derive(Default)]
pub(super) struct Shared {
    symbols: BTreeMap<Symbol, u32>,
    inputs: BTreeMap<Key, u32>,
}

impl Shared {
    pub(super) fn of_symbol(&mut self, symbol: Symbol) -> u32 {
        let next = self.next();
        *self.symbols.entry(symbol).or_insert(next)
    }

    /// What a pointer points into that is an input.
    pub(super) fn of_input(&mut self, key: Key) -> u32 {
        let next = self.next();
        *self.inputs.entry(key).or_insert(next)
    }

    fn next(&self) -> u32 {
        (self.symbols.len() + self.inputs.len()) as u32
    }
}
