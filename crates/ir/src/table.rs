//! Tables for all entities of a function.

use cranelift_entity::{EntityRef, SecondaryMap};

/// A table with a default value for each of so many entities: one that grows entry by entry costs more than it holds.
pub fn table<K: EntityRef, V: Clone + Default>(len: usize) -> SecondaryMap<K, V> {
    let mut table = SecondaryMap::new();
    table.resize(len);
    table
}
