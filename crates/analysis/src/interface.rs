//! What the rest of the program may know of a unit: small, so that the interfaces of a whole program fit into memory while
//! the bodies stay on disk.

use gainsay_ir::gc::Unit;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interface {
    /// The functions that have a body here, in order of definition.
    pub defined: Vec<String>,
}

impl Interface {
    /// Of a unit with models applied.
    pub fn of(unit: &Unit) -> Interface {
        Interface { defined: unit.functions.iter().map(|f| unit.symbols[f.symbol].name.clone()).collect() }
    }
}
