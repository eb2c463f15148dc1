//! Options: the variants of the encoding.

use cranelift_entity::EntitySet;
use gainsay_ir::passive::Block;
use std::collections::BTreeSet;

/// A command of a passive function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Statement {
    pub block: Block,
    pub index: u32,
}

#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Every assume, assert and end in error counts only if its switch is on; see [`super::Vc::switches`].
    pub by_statement: bool,
    /// Definitions and stores whose value is replaced by an unknown.
    pub forgotten: BTreeSet<Statement>,
    /// Only these assumes, asserts and ends in error count at all.
    pub only: Option<BTreeSet<Statement>>,
    /// Only runs within these blocks are of interest, the first block among them.
    pub within: Option<EntitySet<Block>>,
    /// Blocks that every run of interest passes. Only these are encoded, and everything between them is havocked: the
    /// formulas are small and allow more runs (decision 009).
    pub must_pass_blocks: Option<EntitySet<Block>>,
    /// For proofs: see [`super::exact`]. More is known of memory, and validity must be shown.
    pub exact: bool,
    /// With `exact`: the assert whose own choices of values (`\\forall` to be shown) are worth instances. Other asserts'
    /// choices are of no use to it.
    pub goal: Option<Statement>,
    /// A load after a store that may alias it is a choice, not an unknown; see [`super::AliasCase`].
    pub splits_places: bool,
    /// A run passes asserts whether they hold or not; see [`super::Vc::events`].
    pub checks_are_events: bool,
}
