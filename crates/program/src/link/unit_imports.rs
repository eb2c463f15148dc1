//! Unit imports: what one unit must know of the rest of the program. Small, and byte for byte the same while nothing in it
//! changes, because it is part of cache keys.

use super::{Callees, Definition, Interface, Program, ProgramFunction, SymbolEntry, SymbolKind};
use crate::body_facts::{CallSite, CallTarget};
use crate::precondition::Precondition;
use crate::summary::{Base, GlobalName, Summary};
use gainsay_ir::gc::{Linkage, SymbolData};
use gainsay_ir::types::Type;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Symbols are given by their numbers in the unit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitImports {
    /// The identity of the unit.
    pub unit: String,
    /// Summaries of the functions that the unit calls by name. They contain facts only: for the rest see
    /// [`super::Hints`].
    pub callee_summaries: BTreeMap<u32, Summary>,
    /// The functions among those that are defined in the run, including definitions that could not be read.
    pub functions_with_body: Vec<u32>,
    /// Globals that the callees write and that may be reached through a pointer.
    pub exposed_globals: BTreeSet<GlobalName>,
    /// Static objects of the unit whose address is never taken except to access them.
    pub hidden_objects: Vec<u32>,
    /// Static objects of the unit whose address is passed to functions, none of which retains it.
    pub unretained_objects: Vec<u32>,
    /// Objects of the previous two lists that functions write which code outside of the program can call.
    pub objects_written_by_callbacks: Vec<u32>,
    /// Objects that another unit declares weak, gives another name (`alias`) or lets the linker place.
    pub weak_objects: Vec<u32>,
    /// Objects that another unit defines in C, so they are not symbols of the linker.
    pub objects_defined_elsewhere: Vec<u32>,
    /// Summaries of single calls, through pointers or to the outside, by the symbol of the caller and the number of the
    /// call in it.
    pub call_site_summaries: BTreeMap<(u32, u32), Summary>,
    /// Globals visible in the unit that signal handlers and threads write.
    pub asynchronously_written: BTreeSet<GlobalName>,
    /// The number of units of the program, rounded up to a power of two, so that a new unit seldom changes the imports.
    pub rounded_unit_count: u32,
}

impl UnitImports {
    /// May a signal handler or another thread write the symbol of the unit?
    pub fn is_asynchronously_written(&self, symbol: &SymbolData) -> bool {
        let unit = (symbol.linkage == Linkage::Internal).then(|| self.unit.clone());
        !self.asynchronously_written.is_empty()
            && self.asynchronously_written.contains(&GlobalName { unit, name: symbol.name.clone() })
    }
}

/// Inferred preconditions of the functions that a unit calls, by symbol. No facts: only `evidence` reads them.
pub type CalleePreconditions = BTreeMap<u32, Vec<Precondition>>;

impl Program {
    /// `inferred`: of each of [`Program::functions`].
    pub fn callee_preconditions(&self, inferred: &[Vec<Precondition>], unit: usize) -> CalleePreconditions {
        let interface = &self.units[unit];
        let mut expected = CalleePreconditions::new();
        for (&symbol, entry) in &interface.symbols {
            let Some(id) = self.resolve(unit, entry) else { continue };
            if !inferred[id].is_empty() && self.is_declared_as_defined(entry, &self.functions[id]) {
                expected.insert(symbol, inferred[id].clone());
            }
        }
        expected
    }

    /// `summaries`: one for each of [`Program::functions`].
    pub fn imports_of(&self, summaries: &[Summary], unit: usize) -> UnitImports {
        let interface = &self.units[unit];
        let mut imports = UnitImports {
            unit: interface.unit.clone(),
            hidden_objects: self.hidden(unit),
            weak_objects: self.weak_elsewhere(interface),
            objects_defined_elsewhere: self.defined_elsewhere(interface),
            rounded_unit_count: (self.units.len() as u32).next_power_of_two(),
            ..UnitImports::default()
        };
        imports.unretained_objects.clone_from(&self.unretained[unit]);
        let is_written_by_callbacks = |symbol: &u32| {
            let entry = interface.symbols.get(symbol);
            entry.is_none_or(|entry| self.written_by_callbacks.contains(&interface.global_name(entry)))
        };
        imports.objects_written_by_callbacks = imports
            .hidden_objects
            .iter()
            .chain(&imports.unretained_objects)
            .copied()
            .filter(is_written_by_callbacks)
            .collect();
        for (&symbol, entry) in &interface.symbols {
            imports.functions_with_body.extend(self.find(&interface.global_name(entry)).map(|_| symbol));
            let Some(id) = self.resolve(unit, entry) else { continue };
            if self.is_declared_as_defined(entry, &self.functions[id]) {
                imports.callee_summaries.insert(symbol, facts_of(&summaries[id]));
            }
        }
        for (number, (symbol, body_facts)) in interface.functions.iter().enumerate() {
            let Some(definition) = self.definition_in(unit, number, *symbol) else { continue };
            for (call, site) in body_facts.calls.iter().enumerate() {
                if let Some(summary) = self.call_site_summary(summaries, site, &definition.calls[call]) {
                    imports.call_site_summaries.insert((*symbol, call as u32), summary);
                }
            }
        }
        let summaries = imports.callee_summaries.values().chain(imports.call_site_summaries.values());
        let writes = summaries.flat_map(|summary| summary.writes.iter().flatten());
        let globals = writes.filter_map(|write| match &write.base {
            Base::Global(name) => Some(name),
            _ => None,
        });
        let is_nameable = |name: &&GlobalName| name.unit.as_ref().is_none_or(|unit| *unit == interface.unit);
        imports.asynchronously_written =
            self.asynchronously_written.iter().filter(is_nameable).cloned().collect();
        imports.exposed_globals = globals.filter(|&name| !self.unexposed.contains(name)).cloned().collect();
        imports
    }

    fn definition_in(&self, unit: usize, function: usize, symbol: u32) -> Option<&Definition> {
        let interface = &self.units[unit];
        let id = self.find(&interface.global_name(interface.symbols.get(&symbol)?))?;
        let mut definitions = self.functions[id].definitions.iter();
        definitions.find(|definition| (definition.unit, definition.function) == (unit, function))
    }

    /// The summary of one call that does not hold for all calls of the name.
    fn call_site_summary(
        &self,
        summaries: &[Summary],
        site: &CallSite,
        callees: &Callees,
    ) -> Option<Summary> {
        match callees {
            Callees::Known(ids) if matches!(site.callee, CallTarget::Pointer(_)) => {
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

    /// If units were not read, another definition may be linked.
    fn defined_elsewhere(&self, interface: &Interface) -> Vec<u32> {
        let objects = interface.symbols.iter().filter(|(_, entry)| is_object(entry, Linkage::External));
        objects.filter(|(_, entry)| self.is_defined(&entry.name)).map(|(symbol, _)| *symbol).collect()
    }

    fn is_defined(&self, name: &str) -> bool {
        !self.is_partial && self.defined.contains(name) && !self.weak.contains(name)
    }

    /// Is the size of the symbol of the unit known, so that it is no symbol of the linker?
    pub(crate) fn is_bounded(&self, unit: usize, symbol: u32) -> bool {
        self.units[unit].symbols.get(&symbol).is_some_and(|entry| match entry.kind {
            SymbolKind::Object { is_defined, is_bounded, .. } => {
                is_defined || is_bounded || entry.linkage == Linkage::External && self.is_defined(&entry.name)
            }
            SymbolKind::Function { .. } => true,
        })
    }

    /// Static objects of the unit whose address is never taken; in a whole program, all such objects.
    fn hidden(&self, unit: usize) -> Vec<u32> {
        let interface = &self.units[unit];
        let mut hidden = interface.hidden_objects.clone();
        let others = interface.symbols.iter().filter(|(_, entry)| entry.linkage != Linkage::Internal);
        let unexposed = others.filter(|(_, entry)| self.unexposed.contains(&interface.global_name(entry)));
        hidden.extend(unexposed.map(|(symbol, _)| *symbol));
        hidden.sort();
        hidden
    }

    /// Facts of the definition do not apply to calls through a declaration of another type.
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

/// The summary without suggestions.
fn facts_of(summary: &Summary) -> Summary {
    Summary { can_fail: Vec::new(), may_return_null: false, null_tested: Vec::new(), ..summary.clone() }
}

/// Names of objects that a unit declares weak or aliased, or that the linker places.
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

/// Objects whose address is never taken: static ones and, in a whole program, others as well.
pub(super) fn unexposed(units: &[Interface], is_closed: bool) -> BTreeSet<GlobalName> {
    let of_unit = |unit: &Interface| -> Vec<GlobalName> {
        let entries = unit.hidden_objects.iter().filter_map(|symbol| unit.symbols.get(symbol));
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
                || unit.exposed_objects.binary_search(symbol).is_ok()
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
