//! Variants of the encoding, for those who ask which statements a contradiction needs.

use gainsay_ir::passive::Block;
use std::collections::BTreeSet;

/// A command of a passive function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Statement {
    pub block: Block,
    pub index: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Every assume, assert and end in error counts only where its switch is on; see [`super::Vc::switches`].
    pub by_statement: bool,
    /// Definitions and stores whose value is forgotten.
    pub forgotten: BTreeSet<Statement>,
}
