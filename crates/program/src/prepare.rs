//! The functions of a unit as the analyses read them: library calls replaced by models, and what is known of the
//! program's other functions said at each call.

use crate::apply_models;
use crate::apply_models::LibraryClasses;
use crate::apply_summaries::{Callees, Names, apply_summaries};
use crate::link::{Interface, Program, UnitImports};
use crate::models::Models;
use crate::summarize::{Effort, summarize};
use cranelift_entity::EntitySet;
use gainsay_ir::gc;
use gainsay_ir::passes::havoc_shared_globals;
use std::num::NonZeroUsize;

/// The functions of a unit that is a program of its own, with what is known of the functions they call. `given_up`: names
/// of functions whose definition could not be read.
pub fn prepare(unit: &mut gc::Unit, models: &Models, given_up: &[&str]) -> Vec<gc::Function> {
    let bodies = unit.functions.clone();
    let functions = with_models(unit, bodies, models);
    let mut interface = Interface::new("", unit, &functions, given_up, &|_, _| None);
    interface.add_library(unit, models);
    let program = Program::link(vec![interface]);
    let known =
        program.known_to(&summarize(&program, Effort { threads: NonZeroUsize::MIN, suggestions: true }), 0);
    with_callees(unit, functions, &known)
}

/// The functions of a unit with what is known of the library's functions that they call.
/// Adds classes of memory to the unit that only the library has.
pub fn with_models(unit: &mut gc::Unit, functions: Vec<gc::Function>, models: &Models) -> Vec<gc::Function> {
    let classes = LibraryClasses::of(unit);
    let mut has_body = EntitySet::new();
    has_body.extend(functions.iter().map(|f| f.symbol));
    functions.into_iter().map(|f| apply_models(unit, &classes, models, &has_body, f)).collect()
}

/// The same functions, with models, and with what is known of the functions of the program that they call.
/// Adds classes of memory to the unit that only other units name, and says which objects are hidden.
pub fn with_callees(
    unit: &mut gc::Unit,
    functions: Vec<gc::Function>,
    known: &UnitImports,
) -> Vec<gc::Function> {
    let lent = known.lent.iter().map(|&symbol| (symbol, gc::Held::Unretained));
    for (symbol, held) in lent.chain(known.hidden.iter().map(|&symbol| (symbol, gc::Held::Nowhere))) {
        if let gc::SymbolKind::Object(facts) = &mut unit.symbols[gc::Symbol::from_u32(symbol)].kind {
            facts.held = held;
        }
    }
    for &symbol in &known.weak {
        let data = &mut unit.symbols[gc::Symbol::from_u32(symbol)];
        data.linkage = gc::Linkage::Weak;
        if let gc::SymbolKind::Object(facts) = &mut data.kind {
            facts.constant = false;
        }
    }
    for &symbol in &known.defined {
        if let gc::SymbolKind::Object(facts) = &mut unit.symbols[gc::Symbol::from_u32(symbol)].kind {
            facts.declared = u64::MAX;
        }
    }
    for &symbol in &known.with_body {
        if let gc::SymbolKind::Function(facts) = &mut unit.symbols[gc::Symbol::from_u32(symbol)].kind {
            facts.has_body = true;
        }
    }
    for &symbol in &known.reached {
        if let gc::SymbolKind::Object(facts) = &mut unit.symbols[gc::Symbol::from_u32(symbol)].kind {
            facts.reached = true;
        }
    }
    let names = Names { unit: &known.unit, is_exposed: &|name| known.exposed.contains(name) };
    let callees = Callees::of(unit, &names, &|symbol| known.functions.get(&symbol.as_u32()), &known.calls);
    let is_interrupted = |symbol: gc::Symbol| known.is_interrupted(&unit.symbols[symbol]);
    let functions = functions.into_iter().map(|f| apply_summaries(unit, &callees, f));
    functions.map(|f| havoc_shared_globals(&is_interrupted, f)).collect()
}
