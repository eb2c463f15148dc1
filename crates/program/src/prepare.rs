//! The functions of a unit as the analyses read them: models in place of library calls, and summaries applied to the other
//! calls.

use crate::apply_models;
use crate::apply_models::LibraryClasses;
use crate::apply_summaries::{CalleeSummaries, UnitNames, apply_summaries};
use crate::link::{Interface, Program, UnitImports};
use crate::models::Models;
use crate::summarize::{Effort, summarize};
use cranelift_entity::EntitySet;
use gainsay_ir::gc;
use gainsay_ir::passes::havoc_shared_globals;
use std::num::NonZeroUsize;

/// Prepares a unit that is a program of its own. `given_up`: names of functions whose definition could not be read.
pub fn prepare(unit: &mut gc::Unit, models: &Models, given_up: &[&str]) -> Vec<gc::Function> {
    let bodies = unit.functions.clone();
    let functions = with_models(unit, bodies, models);
    let mut interface = Interface::new("", unit, &functions, given_up, &|_, _| None);
    interface.add_library(unit, models);
    let program = Program::link(vec![interface]);
    let imports =
        program.imports_of(&summarize(&program, Effort { threads: NonZeroUsize::MIN, suggestions: true }), 0);
    with_callees(unit, functions, &imports)
}

/// Applies the models of library functions. Adds alias classes that only the library has to the unit.
pub fn with_models(unit: &mut gc::Unit, functions: Vec<gc::Function>, models: &Models) -> Vec<gc::Function> {
    let classes = LibraryClasses::of(unit);
    let mut has_body = EntitySet::new();
    has_body.extend(functions.iter().map(|f| f.symbol));
    functions.into_iter().map(|f| apply_models(unit, &classes, models, &has_body, f)).collect()
}

/// Applies the imports of the unit to functions that have their models: summaries at calls, and what is known of the unit's
/// objects. Adds alias classes that only other units name to the unit.
pub fn with_callees(
    unit: &mut gc::Unit,
    functions: Vec<gc::Function>,
    imports: &UnitImports,
) -> Vec<gc::Function> {
    let unretained = imports.unretained_objects.iter().map(|&symbol| (symbol, gc::Held::Unretained));
    for (symbol, held) in
        unretained.chain(imports.hidden_objects.iter().map(|&symbol| (symbol, gc::Held::Nowhere)))
    {
        if let gc::SymbolKind::Object(facts) = &mut unit.symbols[gc::Symbol::from_u32(symbol)].kind {
            facts.held = held;
        }
    }
    for &symbol in &imports.weak_objects {
        let data = &mut unit.symbols[gc::Symbol::from_u32(symbol)];
        data.linkage = gc::Linkage::Weak;
        if let gc::SymbolKind::Object(facts) = &mut data.kind {
            facts.constant = false;
        }
    }
    for &symbol in &imports.objects_defined_elsewhere {
        if let gc::SymbolKind::Object(facts) = &mut unit.symbols[gc::Symbol::from_u32(symbol)].kind {
            facts.declared = u64::MAX;
        }
    }
    for &symbol in &imports.functions_with_body {
        if let gc::SymbolKind::Function(facts) = &mut unit.symbols[gc::Symbol::from_u32(symbol)].kind {
            facts.has_body = true;
        }
    }
    for &symbol in &imports.objects_written_by_callbacks {
        if let gc::SymbolKind::Object(facts) = &mut unit.symbols[gc::Symbol::from_u32(symbol)].kind {
            facts.reached = true;
        }
    }
    let names = UnitNames { unit: &imports.unit, is_exposed: &|name| imports.exposed_globals.contains(name) };
    let callees = CalleeSummaries::of(
        unit,
        &names,
        &|symbol| imports.callee_summaries.get(&symbol.as_u32()),
        &imports.call_site_summaries,
    );
    let is_asynchronously_written =
        |symbol: gc::Symbol| imports.is_asynchronously_written(&unit.symbols[symbol]);
    let functions = functions.into_iter().map(|f| apply_summaries(unit, &callees, f));
    functions.map(|f| havoc_shared_globals(&is_asynchronously_written, f)).collect()
}
