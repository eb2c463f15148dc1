//! Tables for all entities of a function.

use cranelift_entity::{EntityRef, SecondaryMap};

/// A table with a default value for each of `len` entities. Allocating it at once is cheaper than growing it entry by entry.
pub fn table<K: EntityRef, V: Clone + Default>(len: usize) -> SecondaryMap<K, V> {
    let mut table = SecondaryMap::new();
    table.resize(len);
    table
}
