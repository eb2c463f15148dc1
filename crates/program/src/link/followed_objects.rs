//! Objects that the points-to analysis of function addresses follows: those that are accessed by name only, and constants.
//!
//! Each has a node for every word that is accessed, one for writes at an unknown offset, and one for all its contents.

use super::{Interface, Program, SymbolEntry, SymbolKind};
use crate::body_facts::{BodyFacts, CallTarget, Cell, FunctionOrigin};
use crate::summary::GlobalName;
use gainsay_ir::gc::Linkage;
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct FollowedObjects {
    followed: BTreeMap<GlobalName, FollowedObject>,
    nodes: usize,
}

struct FollowedObject {
    /// Its address is never taken.
    is_private: bool,
    anywhere: usize,
    all: usize,
    words: BTreeMap<u64, usize>,
}

impl FollowedObjects {
    pub(super) fn new(program: &Program) -> FollowedObjects {
        let mut places = FollowedObjects { followed: followed(program), nodes: 0 };
        let mut words: BTreeSet<(GlobalName, u64)> = BTreeSet::new();
        for unit in &program.units {
            let cells = unit.functions.iter().flat_map(|(_, body_facts)| cells(body_facts));
            let initial =
                initial_functions(unit).map(|(object, offset, _)| Cell { object, offset: Some(offset) });
            for cell in cells.chain(initial) {
                if let (Some(entry), Some(word)) = (unit.symbols.get(&cell.object), word(unit, cell)) {
                    words.insert((unit.global_name(entry), word));
                }
            }
        }
        for (name, word) in words {
            if let Some(place) = places.followed.get_mut(&name) {
                place.words.insert(word, 0);
            }
        }
        for place in places.followed.values_mut() {
            let numbers = [&mut place.anywhere, &mut place.all].into_iter().chain(place.words.values_mut());
            for number in numbers {
                *number = places.nodes;
                places.nodes += 1;
            }
        }
        places
    }

    pub(super) fn nodes(&self) -> usize {
        self.nodes
    }

    /// Inclusions between nodes: from, to.
    pub(super) fn flows(&self) -> Vec<(usize, usize)> {
        let mut flows = Vec::new();
        for place in self.followed.values() {
            flows.push((place.anywhere, place.all));
            for &word in place.words.values() {
                flows.extend([(place.anywhere, word), (word, place.all)]);
            }
        }
        flows
    }

    /// The functions in initialisers: unit, symbol and node; `None`: not followed.
    ///
    /// A table that is never read by name is read through a symbol of the linker, which concatenates the objects of a
    /// section.
    pub(super) fn initial(&self, program: &Program) -> Vec<(usize, u32, Option<usize>)> {
        let mut found = Vec::new();
        let read = read_objects(program);
        for (at, unit) in program.units.iter().enumerate() {
            for (object, offset, function) in initial_functions(unit) {
                let place = unit.symbols.get(&object).and_then(|entry| self.of(unit, entry));
                let cell = Cell { object, offset: Some(offset) };
                found.extend(place.map(|_| (at, function, self.written(program, at, cell))));
                let is_read =
                    unit.symbols.get(&object).is_some_and(|entry| read.contains(&unit.global_name(entry)));
                if !is_read || place.is_none_or(|place| !place.is_private) {
                    found.push((at, function, None));
                }
            }
        }
        found
    }

    /// The node to read from. `None`: anything may be there.
    pub(super) fn read(&self, program: &Program, unit: usize, cell: Cell) -> Option<usize> {
        self.node(program, unit, cell, |place| place.all)
    }

    /// The node to write to. `None`: the object is not followed.
    pub(super) fn written(&self, program: &Program, unit: usize, cell: Cell) -> Option<usize> {
        self.node(program, unit, cell, |place| place.anywhere)
    }

    fn node(
        &self,
        program: &Program,
        unit: usize,
        cell: Cell,
        somewhere: impl Fn(&FollowedObject) -> usize,
    ) -> Option<usize> {
        let unit = &program.units[unit];
        let entry = unit.symbols.get(&cell.object)?;
        let is_own = matches!(entry.kind, SymbolKind::Object { is_defined: true, .. });
        // Where something was not read, another definition may be meant.
        let place = self.of(unit, entry).filter(|_| is_own || !program.is_partial)?;
        let word = word(unit, cell).and_then(|word| place.words.get(&word).copied());
        Some(word.unwrap_or_else(|| somewhere(place)))
    }

    fn of(&self, unit: &Interface, entry: &SymbolEntry) -> Option<&FollowedObject> {
        self.followed.get(&unit.global_name(entry))
    }
}

/// The number of the word, if the access is of just one.
fn word(unit: &Interface, cell: Cell) -> Option<u64> {
    let bytes = u64::from(unit.pointer_bits / 8).max(1);
    cell.offset.filter(|offset| offset % bytes == 0).map(|offset| offset / bytes)
}

fn read_objects(program: &Program) -> BTreeSet<GlobalName> {
    let of_unit = |unit: &Interface| -> BTreeSet<GlobalName> {
        let cells = unit.functions.iter().flat_map(|(_, body_facts)| read(body_facts));
        cells.filter_map(|cell| Some(unit.global_name(unit.symbols.get(&cell.object)?))).collect()
    };
    program.units.iter().flat_map(of_unit).collect()
}

fn cells(body_facts: &BodyFacts) -> impl Iterator<Item = Cell> {
    body_facts.effects.stored_functions.iter().map(|(cell, _)| *cell).chain(read(body_facts))
}

fn read(body_facts: &BodyFacts) -> impl Iterator<Item = Cell> {
    let effects = &body_facts.effects;
    let pointers = body_facts.calls.iter().flat_map(|site| match &site.callee {
        CallTarget::Pointer(origins) => origins.as_slice(),
        CallTarget::Symbol(_) => &[],
    });
    let args = body_facts.calls.iter().flat_map(|site| &site.args).flat_map(|arg| &arg.origins);
    let put = effects.stored_functions.iter().map(|(_, origin)| origin);
    let read =
        pointers.chain(args).chain(put).chain(&effects.lost_functions).chain(&effects.returned_functions);
    read.filter_map(|origin| match origin {
        FunctionOrigin::Cell(cell) => Some(*cell),
        _ => None,
    })
}

/// Object, offset, function.
fn initial_functions(unit: &Interface) -> impl Iterator<Item = (u32, u64, u32)> {
    unit.symbols.iter().flat_map(|(&object, entry)| {
        let pointers = match &entry.kind {
            SymbolKind::Object { pointers: Some(pointers), .. } => pointers.as_slice(),
            _ => &[],
        };
        pointers.iter().map(move |&(offset, function)| (object, offset, function))
    })
}

/// The declarations of an object in all units.
#[derive(Default)]
struct Declarations {
    definitions: u32,
    /// Those whose initialiser is known.
    initialisers: u32,
    is_constant: bool,
    is_held: bool,
}

fn followed(program: &Program) -> BTreeMap<GlobalName, FollowedObject> {
    let mut declared: BTreeMap<GlobalName, Declarations> = BTreeMap::new();
    for unit in &program.units {
        for (symbol, entry) in &unit.symbols {
            let SymbolKind::Object { is_constant, is_defined, pointers, .. } = &entry.kind else { continue };
            let of_name = declared.entry(unit.global_name(entry)).or_default();
            of_name.definitions += u32::from(*is_defined);
            of_name.initialisers += u32::from(pointers.is_some());
            of_name.is_constant |= *is_constant && pointers.is_some();
            of_name.is_held |= match entry.linkage {
                Linkage::Internal => unit.hidden_objects.binary_search(symbol).is_err(),
                // Other code that knows the name has the address.
                Linkage::External | Linkage::Weak => !program.unexposed.contains(&unit.global_name(entry)),
            };
        }
    }
    let is_followed = |declared: &Declarations| {
        declared.definitions == 1 && declared.initialisers == 1 && (declared.is_constant || !declared.is_held)
    };
    let known = declared.into_iter().filter(|(_, declared)| is_followed(declared));
    let place = |declared: Declarations| FollowedObject {
        is_private: !declared.is_held,
        anywhere: 0,
        all: 0,
        words: BTreeMap::new(),
    };
    known.map(|(name, declared)| (name, place(declared))).collect()
}
