//! Links units into one program and resolves calls across units. Read `interface` (the input), `targets` (calls through
//! pointers) and `unit_imports` (the output) first.
//!
//! Static functions belong to their unit. A name that is defined in several units (programs of one compile database, inline
//! definitions) stands for all of them; weak definitions and names without a definition are unknown.
//!
//! A call through a pointer is resolved only if all values of the pointer are tracked (`targets`). For other calls,
//! [`Program::possible`] lists functions of that type whose address is taken; these are never used as facts.

mod asynchronous_writes;
mod followed_objects;
mod hints;
mod interface;
mod library;
mod null_tests;
mod outside;
mod targets;
mod unit_imports;
mod unretained_objects;

use crate::body_facts::{BodyFacts, CallSite, CallTarget};
use crate::summary::GlobalName;
use gainsay_ir::gc::Linkage;
use gainsay_ir::types::Type;
pub use hints::{AllCallers, Caller, Callers, Hints, NullTests, PassedValues, ResultUse};
pub use interface::{CallPlace, Interface, SymbolEntry, SymbolKind};
use std::collections::{BTreeMap, BTreeSet};
pub use unit_imports::{CalleePreconditions, UnitImports};

/// A function of the program, by its place in [`Program::functions`].
pub type FunctionId = usize;

/// All units together.
#[derive(Debug)]
pub struct Program {
    pub units: Vec<Interface>,
    /// In the order of their names; behind the program's own those of the library that are used as values.
    pub functions: Vec<ProgramFunction>,
    by_name: BTreeMap<GlobalName, FunctionId>,
    /// Functions of the library whose address is taken, by name.
    library: BTreeMap<String, FunctionId>,
    /// Functions whose address is taken, by signature.
    pointed_at: BTreeMap<Signature, Vec<FunctionId>>,
    /// Static objects whose address is never taken: a write is visible only where they can be named.
    unexposed: BTreeSet<GlobalName>,
    /// Names of objects that may be others, or have another name.
    weak: BTreeSet<String>,
    /// Static objects whose address is passed to functions and never retained, by unit; and their names.
    unretained: Vec<Vec<u32>>,
    unretained_names: BTreeSet<GlobalName>,
    /// Globals that handlers and threads write.
    asynchronously_written: BTreeSet<GlobalName>,
    /// Names of objects that a unit defines for all.
    defined: BTreeSet<String>,
    /// There are units of the program that were not read: see [`Program::link_part`].
    is_partial: bool,
    /// The units are the whole program: no other code names its functions and objects.
    is_closed: bool,
    /// Callbacks: functions that code outside of the program can call.
    called_back: BTreeSet<FunctionId>,
    /// Globals that these write.
    written_by_callbacks: BTreeSet<GlobalName>,
    /// Names of functions outside that let others run.
    waiting_functions: BTreeSet<String>,
}

#[derive(Debug)]
pub struct ProgramFunction {
    pub name: GlobalName,
    pub definitions: Vec<Definition>,
    /// There are definitions that were not read, or may be replaced: nothing is known.
    pub is_open: bool,
    /// It is not the program's.
    pub is_library: bool,
}

#[derive(Debug)]
pub struct Definition {
    /// Places in [`Program::units`] and its functions, behind which those of the library are.
    pub unit: usize,
    pub function: usize,
    /// The callees of each call in the body facts.
    pub calls: Vec<Callees>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callees {
    /// One of these, and no other.
    Known(Vec<FunctionId>),
    /// Code outside of the program: a library function, which can reach only what is passed to it, or a callback.
    Outside,
    Unknown,
}

/// For each unit, the functions that it takes for library functions although another unit defines them. Such a unit must be
/// read again without their models.
pub fn mistaken<'a>(units: impl Iterator<Item = Option<&'a Interface>> + Clone) -> Vec<Vec<String>> {
    let mut defined: BTreeSet<&str> = BTreeSet::new();
    for unit in units.clone().flatten() {
        let symbols = unit.functions.iter().map(|(symbol, _)| symbol).chain(&unit.given_up);
        let is_own = |entry: &&SymbolEntry| {
            entry.linkage != Linkage::Internal
                && matches!(entry.kind, SymbolKind::Function { is_library: false, .. })
        };
        let own = symbols.filter_map(|symbol| unit.symbols.get(symbol)).filter(is_own);
        defined.extend(own.map(|entry| entry.name.as_str()));
        defined.extend(unit.also_defines.iter().map(String::as_str));
    }
    let of_unit = |unit: &Interface| -> Vec<String> {
        unit.library_names.iter().filter(|name| defined.contains(name.as_str())).cloned().collect()
    };
    units.map(|unit| unit.map(of_unit).unwrap_or_default()).collect()
}

type Signature = (Vec<Type>, Option<Type>);

impl Program {
    /// The order of the units does not matter for what is found. There may be other units that use these.
    pub fn link(units: Vec<Interface>) -> Program {
        Program::linked(units, false, false)
    }

    /// The build has other units, which could not be read: a definition is known to be the linked one only in its own unit.
    pub fn link_part(units: Vec<Interface>) -> Program {
        Program::linked(units, false, true)
    }

    /// These are all units of the program: other code knows only `main` and what is passed to it (as with gcc's
    /// `-fwhole-program`). If a function could not be read, this is the same as [`Program::link`].
    pub fn link_whole(units: Vec<Interface>) -> Program {
        let is_closed = units.iter().all(|unit| unit.is_whole);
        Program::linked(units, is_closed, false)
    }

    fn linked(units: Vec<Interface>, is_closed: bool, is_partial: bool) -> Program {
        let mut program = Program {
            unexposed: unit_imports::unexposed(&units, is_closed),
            weak: unit_imports::weak(&units),
            defined: unit_imports::defined(&units),
            is_partial,
            waiting_functions: outside::waiting_functions(&units),
            units,
            is_closed,
            called_back: BTreeSet::new(),
            written_by_callbacks: BTreeSet::new(),
            functions: Vec::new(),
            by_name: BTreeMap::new(),
            library: BTreeMap::new(),
            pointed_at: BTreeMap::new(),
            unretained: Vec::new(),
            unretained_names: BTreeSet::new(),
            asynchronously_written: BTreeSet::new(),
        };
        program.find_functions();
        program.find_library();
        program.find_pointed_at();
        let (calls, called_back) = targets::targets(&program);
        program.called_back = called_back;
        for (function, calls) in program.functions.iter_mut().zip(calls) {
            for (definition, calls) in function.definitions.iter_mut().zip(calls) {
                definition.calls = calls;
            }
        }
        for id in if is_closed { outside::in_threads(&program) } else { BTreeSet::new() } {
            let calls =
                program.functions[id].definitions.iter_mut().flat_map(|definition| &mut definition.calls);
            calls.filter(|callees| **callees == Callees::Outside).for_each(|one| *one = Callees::Unknown);
        }
        program.unretained = unretained_objects::unretained_objects(&program);
        let unretained = program.units.iter().zip(&program.unretained).flat_map(|(unit, unretained)| {
            unretained.iter().filter_map(|symbol| Some(unit.global_name(unit.symbols.get(symbol)?)))
        });
        program.unretained_names = unretained.collect();
        program.asynchronously_written = asynchronous_writes::asynchronously_written(&program);
        program.written_by_callbacks = outside::written_by_callbacks(&program);
        program
    }

    /// Was it linked as a whole program, and all of it read?
    pub fn is_whole(&self) -> bool {
        self.is_closed
    }

    pub fn find(&self, name: &GlobalName) -> Option<FunctionId> {
        self.by_name.get(name).copied()
    }

    pub fn body_facts(&self, definition: &Definition) -> &BodyFacts {
        let unit = &self.units[definition.unit];
        match definition.function.checked_sub(unit.functions.len()) {
            Some(number) => &unit.library[number].1,
            None => &unit.functions[definition.function].1,
        }
    }

    /// Functions that a call through an unknown pointer may mean, by type alone. No proof: others may be meant.
    pub fn possible(&self, definition: &Definition, call: usize) -> &[FunctionId] {
        let site = &self.body_facts(definition).calls[call];
        if !matches!(site.callee, CallTarget::Pointer(_))
            || matches!(definition.calls[call], Callees::Known(_))
        {
            return &[];
        }
        let params: Vec<Type> = site.args.iter().map(|arg| arg.ty).collect();
        self.pointed_at.get(&(params, site.result)).map_or(&[], Vec::as_slice)
    }

    fn find_functions(&mut self) {
        let mut found: BTreeMap<GlobalName, ProgramFunction> = BTreeMap::new();
        for (at, unit) in self.units.iter().enumerate() {
            let mut define = |symbol: u32, function: Option<usize>| {
                let Some(entry) = unit.symbols.get(&symbol) else { return };
                let name = unit.global_name(entry);
                let of_name = found.entry(name.clone()).or_insert_with(|| ProgramFunction {
                    name,
                    definitions: Vec::new(),
                    is_open: false,
                    is_library: false,
                });
                of_name.is_open |= entry.linkage == Linkage::Weak || function.is_none();
                of_name.definitions.extend(function.map(|function| Definition {
                    unit: at,
                    function,
                    calls: Vec::new(),
                }));
            };
            for (number, (symbol, _)) in unit.functions.iter().enumerate() {
                define(*symbol, Some(number));
            }
            unit.given_up.iter().for_each(|&symbol| define(symbol, None));
        }
        for (name, function) in found {
            self.by_name.insert(name, self.functions.len());
            self.functions.push(function);
        }
    }

    fn find_library(&mut self) {
        let mut found: BTreeMap<String, Vec<Definition>> = BTreeMap::new();
        for (at, unit) in self.units.iter().enumerate() {
            for (number, (symbol, _)) in unit.library.iter().enumerate() {
                let Some(entry) = unit.symbols.get(symbol) else { continue };
                if self.find(&unit.global_name(entry)).is_none() {
                    let function = unit.functions.len() + number;
                    let definition = Definition { unit: at, function, calls: Vec::new() };
                    found.entry(entry.name.clone()).or_default().push(definition);
                }
            }
        }
        for (name, definitions) in found {
            self.library.insert(name.clone(), self.functions.len());
            let name = GlobalName { unit: None, name };
            self.functions.push(ProgramFunction { name, definitions, is_open: false, is_library: true });
        }
    }

    fn find_pointed_at(&mut self) {
        let mut found: BTreeMap<Signature, BTreeSet<FunctionId>> = BTreeMap::new();
        for unit in &self.units {
            for entry in unit.symbols.values() {
                if let SymbolKind::Function { params, result, is_pointed_at: true, .. } = &entry.kind
                    && let Some(id) = self.find(&unit.global_name(entry))
                {
                    found.entry((params.clone(), *result)).or_default().insert(id);
                    // The result may be thrown away.
                    found.entry((params.clone(), None)).or_default().insert(id);
                }
            }
        }
        self.pointed_at = found.into_iter().map(|(key, ids)| (key, ids.into_iter().collect())).collect();
    }

    /// The function that a call names, if the program has it.
    fn called_by_name(&self, unit: usize, site: &CallSite) -> Option<FunctionId> {
        let CallTarget::Symbol(symbol) = site.callee else { return None };
        self.resolve(unit, self.units[unit].symbols.get(&symbol)?)
    }

    /// The function that the unit means by the name.
    fn resolve(&self, unit: usize, entry: &SymbolEntry) -> Option<FunctionId> {
        let id = self.find(&self.units[unit].global_name(entry))?;
        let is_own = || self.functions[id].definitions.iter().any(|definition| definition.unit == unit);
        (entry.linkage == Linkage::Internal || !self.is_partial || is_own()).then_some(id)
    }

    /// Does assembly of the program name it?
    fn named_in_assembly(&self, name: &GlobalName) -> bool {
        let has_word = |unit: &Interface| unit.assembly_words.binary_search(&name.name).is_ok();
        name.unit.is_none() && self.units.iter().any(has_word)
    }

    /// Are the arguments of the types that the function's definitions have? Without a prototype they may not be.
    fn fits(&self, id: FunctionId, site: &CallSite) -> bool {
        self.functions[id].definitions.iter().all(|definition| {
            let params = &self.body_facts(definition).params;
            params.len() <= site.args.len()
                && params.iter().zip(&site.args).all(|(param, arg)| param.1 == arg.ty)
        })
    }
}
