//! What one unit must know of the rest of the program: small, and the same bytes as long as nothing of it changes.

use super::{Interface, Program, ProgramFunction, SymbolEntry, SymbolKind};
use gainsay_ir::gc::{Linkage, SymbolData};
use gainsay_ir::precondition::Precondition;
use gainsay_ir::summary::{Base, GlobalName, Summary};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// The identity of the unit.
    pub unit: String,
    /// The functions that the unit calls by name, by the numbers of their symbols. What is no
    /// fact is left out: see [`super::Hints`].
    pub functions: BTreeMap<u32, Summary>,
    /// Globals among what these functions write whose address somebody may hold.
    pub exposed: BTreeSet<GlobalName>,
    /// Static objects of the unit whose address nobody holds, by number.
    pub hidden: Vec<u32>,
    /// Static objects of the unit whose address functions are given and nobody keeps, by number.
    pub lent: Vec<u32>,
    /// Globals that handlers and threads write, as far as the unit may name them.
    pub interrupted: BTreeSet<GlobalName>,
    /// How many units the program has, to the next power of two: one more seldom changes what is known.
    pub n_units: u32,
}

impl Known {
    /// Of a symbol of the unit.
    pub fn is_interrupted(&self, symbol: &SymbolData) -> bool {
        let unit = (symbol.linkage == Linkage::Internal).then(|| self.unit.clone());
        !self.interrupted.is_empty()
            && self.interrupted.contains(&GlobalName { unit, name: symbol.name.clone() })
    }
}

/// What is expected of callers, by the numbers of the symbols in the unit. No facts: only `evidence` reads it.
pub type Expected = BTreeMap<u32, Vec<Precondition>>;

impl Program {
    /// `inferred`: of each of [`Program::functions`].
    pub fn expected_by(&self, inferred: &[Vec<Precondition>], unit: usize) -> Expected {
        let interface = &self.units[unit];
        let mut expected = Expected::new();
        for (&symbol, entry) in &interface.symbols {
            let Some(id) = self.find(&interface.global_name(entry)) else { continue };
            if !inferred[id].is_empty() && self.is_declared_as_defined(entry, &self.functions[id]) {
                expected.insert(symbol, inferred[id].clone());
            }
        }
        expected
    }

    /// `summaries`: one for each of [`Program::functions`].
    pub fn known_to(&self, summaries: &[Summary], unit: usize) -> Known {
        let interface = &self.units[unit];
        let mut known = Known {
            unit: interface.unit.clone(),
            hidden: interface.hidden.clone(),
            n_units: (self.units.len() as u32).next_power_of_two(),
            ..Known::default()
        };
        known.lent.clone_from(&self.lent[unit]);
        for (&symbol, entry) in &interface.symbols {
            let Some(id) = self.find(&interface.global_name(entry)) else { continue };
            if self.is_declared_as_defined(entry, &self.functions[id]) {
                let no_suggestions = Summary {
                    can_fail: Vec::new(),
                    gives_null: false,
                    asks: Vec::new(),
                    ..summaries[id].clone()
                };
                known.functions.insert(symbol, no_suggestions);
            }
        }
        let writes = known.functions.values().flat_map(|summary| summary.writes.iter().flatten());
        let globals = writes.filter_map(|write| match &write.base {
            Base::Global(name) => Some(name),
            _ => None,
        });
        let is_nameable = |name: &&GlobalName| name.unit.as_ref().is_none_or(|unit| *unit == interface.unit);
        known.interrupted = self.interrupted.iter().filter(is_nameable).cloned().collect();
        known.exposed = globals.filter(|&name| !self.unexposed.contains(name)).cloned().collect();
        known
    }

    /// A call through a declaration of another type means something else than the definition says.
    fn is_declared_as_defined(&self, entry: &SymbolEntry, function: &ProgramFunction) -> bool {
        let SymbolKind::Function { params, result, .. } = &entry.kind else { return false };
        function.definitions.iter().all(|definition| {
            let unit = &self.units[definition.unit];
            match unit.symbols.get(&unit.functions[definition.function].0).map(|defined| &defined.kind) {
                Some(SymbolKind::Function { params: p, result: r, .. }) => (p, r) == (params, result),
                _ => false,
            }
        })
    }
}

/// Static objects whose address nobody holds.
pub(super) fn unexposed(units: &[Interface]) -> BTreeSet<GlobalName> {
    let of_unit = |unit: &Interface| -> Vec<GlobalName> {
        let entries = unit.hidden.iter().filter_map(|symbol| unit.symbols.get(symbol));
        entries.map(|entry| unit.global_name(entry)).collect()
    };
    units.iter().flat_map(of_unit).collect()
}
