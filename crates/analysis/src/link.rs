//! Units into one program: which function a call means, across units.
//!
//! Static functions are those of their unit. A name defined in several units (programs of one compile database,
//! inline definitions) stands for all of them; of weak definitions, and of names without any, nothing is known.
//!
//! A call through a pointer is resolved only where the pointer's values are all seen (`targets`). For other calls there are
//! the functions of that type whose address is taken: likely ones, never used as facts.

mod hints;
mod interface;
mod interrupts;
mod known;
mod lent;
mod places;
mod results;
mod targets;

use gainsay_ir::gc::Linkage;
use gainsay_ir::passes::skeleton::{CallSite, Skeleton, Target};
use gainsay_ir::summary::GlobalName;
use gainsay_ir::types::Type;
pub use hints::{AllCallers, Caller, Callers, Hints, Passed, Results, Tested};
pub use interface::{CallPlace, Interface, SymbolEntry, SymbolKind};
pub use known::{Expected, Known};
use std::collections::{BTreeMap, BTreeSet};

/// A function of the program, by its place in [`Program::functions`].
pub type FunctionId = usize;

/// All units together.
#[derive(Debug)]
pub struct Program {
    pub units: Vec<Interface>,
    /// In the order of their names.
    pub functions: Vec<ProgramFunction>,
    by_name: BTreeMap<GlobalName, FunctionId>,
    /// Functions whose address is taken, by signature.
    pointed_at: BTreeMap<Signature, Vec<FunctionId>>,
    /// Static objects whose address nobody holds: only those who can name them see a write.
    unexposed: BTreeSet<GlobalName>,
    /// Static objects whose address is lent and never kept, by unit.
    lent: Vec<Vec<u32>>,
    /// Globals that handlers and threads write.
    interrupted: BTreeSet<GlobalName>,
}

#[derive(Debug)]
pub struct ProgramFunction {
    pub name: GlobalName,
    pub definitions: Vec<Definition>,
    /// There are definitions that were not read, or may be replaced: nothing is known.
    pub is_open: bool,
}

#[derive(Debug)]
pub struct Definition {
    /// Places in [`Program::units`] and its functions.
    pub unit: usize,
    pub function: usize,
    /// What each call of the skeleton calls.
    pub calls: Vec<Callees>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callees {
    /// One of these, and no other.
    Known(Vec<FunctionId>),
    Unknown,
}

type Signature = (Vec<Type>, Option<Type>);

impl Program {
    /// The order of the units does not matter for what is found.
    pub fn link(units: Vec<Interface>) -> Program {
        let mut program = Program {
            unexposed: known::unexposed(&units),
            units,
            functions: Vec::new(),
            by_name: BTreeMap::new(),
            pointed_at: BTreeMap::new(),
            lent: Vec::new(),
            interrupted: BTreeSet::new(),
        };
        program.find_functions();
        program.find_pointed_at();
        let calls = targets::targets(&program);
        for (function, calls) in program.functions.iter_mut().zip(calls) {
            for (definition, calls) in function.definitions.iter_mut().zip(calls) {
                definition.calls = calls;
            }
        }
        program.lent = lent::lent(&program);
        program.interrupted = interrupts::interrupted(&program);
        program
    }

    pub fn find(&self, name: &GlobalName) -> Option<FunctionId> {
        self.by_name.get(name).copied()
    }

    pub fn skeleton(&self, definition: &Definition) -> &Skeleton {
        &self.units[definition.unit].functions[definition.function].1
    }

    /// Functions that a call through an unknown pointer may mean, by type alone. No proof: others may be meant.
    pub fn possible(&self, definition: &Definition, call: usize) -> &[FunctionId] {
        let site = &self.skeleton(definition).calls[call];
        if !matches!(site.callee, Target::Pointer(_)) || definition.calls[call] != Callees::Unknown {
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

    fn find_pointed_at(&mut self) {
        let mut found: BTreeMap<Signature, BTreeSet<FunctionId>> = BTreeMap::new();
        for unit in &self.units {
            for entry in unit.symbols.values() {
                if let SymbolKind::Function { params, result, is_pointed_at: true } = &entry.kind
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
    fn named(&self, unit: usize, site: &CallSite) -> Option<FunctionId> {
        let Target::Symbol(symbol) = site.callee else { return None };
        let unit = &self.units[unit];
        self.find(&unit.global_name(unit.symbols.get(&symbol)?))
    }

    /// Are the arguments of the types that the function's definitions have? Without a prototype they may not be.
    fn fits(&self, id: FunctionId, site: &CallSite) -> bool {
        self.functions[id].definitions.iter().all(|definition| {
            let params = &self.skeleton(definition).params;
            params.len() <= site.args.len()
                && params.iter().zip(&site.args).all(|(param, arg)| param.1 == arg.ty)
        })
    }
}
