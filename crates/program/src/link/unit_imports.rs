//! What one unit must know of the rest of the program: small, and the same bytes as long as nothing of it changes.

use super::{Callees, Definition, Interface, Program, ProgramFunction, SymbolEntry, SymbolKind};
use crate::body_facts::{CallSite, Target};
use crate::precondition::Precondition;
use crate::summary::{Base, GlobalName, Summary};
use gainsay_ir::gc::{Linkage, SymbolData};
use gainsay_ir::types::Type;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitImports {
    /// The identity of the unit.
    pub unit: String,
    /// The functions that the unit calls by name, by the numbers of their symbols. What is no
    /// fact is left out: see [`super::Hints`].
    pub functions: BTreeMap<u32, Summary>,
    /// The functions of those that have a definition in the run, also one that could not be read, by number.
    pub with_body: Vec<u32>,
    /// Globals among what these functions write whose address somebody may hold.
    pub exposed: BTreeSet<GlobalName>,
    /// Static objects of the unit whose address nobody holds, by number.
    pub hidden: Vec<u32>,
    /// Static objects of the unit whose address functions are given and nobody keeps, by number.
    pub lent: Vec<u32>,
    /// Those of both that the outside changes by calling back.
    pub reached: Vec<u32>,
    /// Objects that another unit says may be others, may have other names (`alias`) or are the linker's to place, by
    /// number.
    pub weak: Vec<u32>,
    /// Objects that another unit defines, as C means them, by number: they are no symbols of the linker.
    pub defined: Vec<u32>,
    /// What is known of single calls, through pointers or to the outside, by the symbol of the function and the number of the
    /// call in it.
    pub calls: BTreeMap<(u32, u32), Summary>,
    /// Globals that handlers and threads write, as far as the unit may name them.
    pub interrupted: BTreeSet<GlobalName>,
    /// How many units the program has, to the next power of two: one more seldom changes what is known.
    pub n_units: u32,
}

impl UnitImports {
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
            let Some(id) = self.meant(unit, entry) else { continue };
            if !inferred[id].is_empty() && self.is_declared_as_defined(entry, &self.functions[id]) {
                expected.insert(symbol, inferred[id].clone());
            }
        }
        expected
    }

    /// `summaries`: one for each of [`Program::functions`].
    pub fn known_to(&self, summaries: &[Summary], unit: usize) -> UnitImports {
        let interface = &self.units[unit];
        let mut known = UnitImports {
            unit: interface.unit.clone(),
            hidden: self.hidden(unit),
            weak: self.weak_elsewhere(interface),
            defined: self.defined_elsewhere(interface),
            n_units: (self.units.len() as u32).next_power_of_two(),
            ..UnitImports::default()
        };
        known.lent.clone_from(&self.lent[unit]);
        let is_reached = |symbol: &u32| {
            let entry = interface.symbols.get(symbol);
            entry.is_none_or(|entry| self.reached.contains(&interface.global_name(entry)))
        };
        known.reached = known.hidden.iter().chain(&known.lent).copied().filter(is_reached).collect();
        for (&symbol, entry) in &interface.symbols {
            known.with_body.extend(self.find(&interface.global_name(entry)).map(|_| symbol));
            let Some(id) = self.meant(unit, entry) else { continue };
            if self.is_declared_as_defined(entry, &self.functions[id]) {
                known.functions.insert(symbol, facts_of(&summaries[id]));
            }
        }
        for (number, (symbol, body_facts)) in interface.functions.iter().enumerate() {
            let Some(definition) = self.definition(unit, number, *symbol) else { continue };
            for (call, site) in body_facts.calls.iter().enumerate() {
                if let Some(summary) = self.of_call(summaries, site, &definition.calls[call]) {
                    known.calls.insert((*symbol, call as u32), summary);
                }
            }
        }
        let summaries = known.functions.values().chain(known.calls.values());
        let writes = summaries.flat_map(|summary| summary.writes.iter().flatten());
        let globals = writes.filter_map(|write| match &write.base {
            Base::Global(name) => Some(name),
            _ => None,
        });
        let is_nameable = |name: &&GlobalName| name.unit.as_ref().is_none_or(|unit| *unit == interface.unit);
        known.interrupted = self.interrupted.iter().filter(is_nameable).cloned().collect();
        known.exposed = globals.filter(|&name| !self.unexposed.contains(name)).cloned().collect();
        known
    }

    fn definition(&self, unit: usize, function: usize, symbol: u32) -> Option<&Definition> {
        let interface = &self.units[unit];
        let id = self.find(&interface.global_name(interface.symbols.get(&symbol)?))?;
        let mut definitions = self.functions[id].definitions.iter();
        definitions.find(|definition| (definition.unit, definition.function) == (unit, function))
    }

    /// What is known of one call, but not of all calls of a name.
    fn of_call(&self, summaries: &[Summary], site: &CallSite, callees: &Callees) -> Option<Summary> {
        match callees {
            Callees::Known(ids) if matches!(site.callee, Target::Pointer(_)) => {
                let gives = |definition: &Definition| self.body_facts(definition).result;
                let fits = |gives: Option<Type>| site.result.is_none() || gives == site.result;
                let mut definitions = ids.iter().flat_map(|&id| &self.functions[id].definitions);
                let joined = ids.iter().map(|&id| summaries[id].clone()).reduce(|a, b| a.join(&b));
                joined
                    .filter(|_| definitions.all(|definition| fits(gives(definition))))
                    .map(|joined| facts_of(&joined))
            }
            Callees::Outside if !site.is_listed => Some(Summary::outside()),
            Callees::Known(_) | Callees::Outside | Callees::Unknown => None,
        }
    }

    fn weak_elsewhere(&self, interface: &Interface) -> Vec<u32> {
        let objects = interface.symbols.iter().filter(|(_, entry)| is_object(entry, Linkage::External));
        objects.filter(|(_, entry)| self.weak.contains(&entry.name)).map(|(symbol, _)| *symbol).collect()
    }

    /// Where something was not read, another definition may be meant.
    fn defined_elsewhere(&self, interface: &Interface) -> Vec<u32> {
        let objects = interface.symbols.iter().filter(|(_, entry)| is_object(entry, Linkage::External));
        objects.filter(|(_, entry)| self.is_defined(&entry.name)).map(|(symbol, _)| *symbol).collect()
    }

    fn is_defined(&self, name: &str) -> bool {
        !self.is_partial && self.defined.contains(name) && !self.weak.contains(name)
    }

    /// Of a symbol of the unit: is it surely no mark of the linker's, of which nobody knows where it ends?
    pub(crate) fn is_bounded(&self, unit: usize, symbol: u32) -> bool {
        self.units[unit].symbols.get(&symbol).is_some_and(|entry| match entry.kind {
            SymbolKind::Object { is_defined, is_bounded, .. } => {
                is_defined || is_bounded || entry.linkage == Linkage::External && self.is_defined(&entry.name)
            }
            SymbolKind::Function { .. } => true,
        })
    }

    /// Static objects of the unit whose address nobody holds; of a whole program, all such objects.
    fn hidden(&self, unit: usize) -> Vec<u32> {
        let interface = &self.units[unit];
        let mut hidden = interface.hidden.clone();
        let others = interface.symbols.iter().filter(|(_, entry)| entry.linkage != Linkage::Internal);
        let unexposed = others.filter(|(_, entry)| self.unexposed.contains(&interface.global_name(entry)));
        hidden.extend(unexposed.map(|(symbol, _)| *symbol));
        hidden.sort();
        hidden
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

/// What is no fact is left out.
fn facts_of(summary: &Summary) -> Summary {
    Summary { can_fail: Vec::new(), gives_null: false, asks: Vec::new(), ..summary.clone() }
}

/// Names of objects of which a unit says that they may be others, or have another name, or that the linker places them.
pub(super) fn weak(units: &[Interface]) -> BTreeSet<String> {
    let entries = units.iter().flat_map(|unit| unit.symbols.values());
    let is_one = |entry: &&SymbolEntry| match entry.kind {
        SymbolKind::Object { is_placed, .. } => {
            entry.linkage == Linkage::Weak || is_placed && entry.linkage == Linkage::External
        }
        SymbolKind::Function { .. } => false,
    };
    entries.filter(is_one).map(|entry| entry.name.clone()).collect()
}

fn is_object(entry: &SymbolEntry, linkage: Linkage) -> bool {
    entry.linkage == linkage && matches!(entry.kind, SymbolKind::Object { .. })
}

/// Names of objects that a unit defines for all.
pub(super) fn defined(units: &[Interface]) -> BTreeSet<String> {
    let entries = units.iter().flat_map(|unit| unit.symbols.values());
    let is_one = |entry: &&SymbolEntry| {
        is_object(entry, Linkage::External)
            && matches!(entry.kind, SymbolKind::Object { is_defined: true, .. })
    };
    entries.filter(is_one).map(|entry| entry.name.clone()).collect()
}

/// Objects whose address nobody holds: static ones, and those that only a whole program knows the name of.
pub(super) fn unexposed(units: &[Interface], is_closed: bool) -> BTreeSet<GlobalName> {
    let of_unit = |unit: &Interface| -> Vec<GlobalName> {
        let entries = unit.hidden.iter().filter_map(|symbol| unit.symbols.get(symbol));
        entries.map(|entry| unit.global_name(entry)).collect()
    };
    let mut unexposed: BTreeSet<GlobalName> = units.iter().flat_map(of_unit).collect();
    if is_closed {
        unexposed.extend(unexposed_by_name(units));
    }
    unexposed
}

/// Of a whole program: objects that it defines and the system does not know, and whose address no unit uses.
fn unexposed_by_name(units: &[Interface]) -> BTreeSet<GlobalName> {
    let (mut defined, mut known_elsewhere) = (BTreeSet::new(), BTreeSet::new());
    for unit in units {
        for (symbol, entry) in &unit.symbols {
            let SymbolKind::Object { is_system, is_defined, is_placed, .. } = &entry.kind else { continue };
            if *is_defined && entry.linkage == Linkage::External {
                defined.insert(unit.global_name(entry));
            }
            if *is_system
                || *is_placed
                || entry.linkage == Linkage::Weak
                || unit.exposed.binary_search(symbol).is_ok()
            {
                known_elsewhere.insert(unit.global_name(entry));
            }
        }
        let words = unit.assembly_words.iter();
        known_elsewhere.extend(words.map(|name| GlobalName { unit: None, name: name.clone() }));
    }
    defined.retain(|name| !known_elsewhere.contains(name));
    defined
}
