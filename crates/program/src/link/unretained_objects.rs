//! Unretained objects: static objects whose address is passed to functions, none of which retains it.
//!
//! No pointer in memory points to such an object, so a write through a loaded pointer cannot change it. The analysis is
//! inclusion-based (Andersen's, restricted to one question): an address is retained if it is stored, returned, or passed to a
//! function that retains the parameter. Body facts contain where addresses go (`body_facts::sources`); addresses that they do
//! not follow are excluded by `Interface::tracked_objects`.

use super::{Callees, Definition, FunctionId, Program};
use crate::body_facts::PointerSource;
use gainsay_ir::types::Type;
use std::collections::BTreeSet;

/// By unit. Calls must be resolved.
pub(super) fn unretained_objects(program: &Program) -> Vec<Vec<u32>> {
    let keeps = kept_parameters(program);
    let mut kept: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); program.units.len()];
    for definition in program.functions.iter().flat_map(|function| &function.definitions) {
        for source in kept_by(program, &keeps, definition) {
            if let PointerSource::Symbol(symbol) = source {
                kept[definition.unit].insert(symbol);
            }
        }
    }
    let units = program.units.iter().zip(&kept);
    units
        .map(|(unit, kept)| unit.tracked_objects.iter().copied().filter(|one| !kept.contains(one)).collect())
        .collect()
}

/// For each function, the parameters that it retains: a least fixed point over the call graph.
fn kept_parameters(program: &Program) -> Vec<BTreeSet<u32>> {
    let mut keeps: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); program.functions.len()];
    let mut callers: Vec<BTreeSet<FunctionId>> = vec![BTreeSet::new(); program.functions.len()];
    for (id, function) in program.functions.iter().enumerate() {
        for callees in function.definitions.iter().flat_map(|definition| &definition.calls) {
            if let Callees::Known(callees) = callees {
                for &callee in callees {
                    callers[callee].insert(id);
                }
            }
        }
    }
    let mut work: BTreeSet<FunctionId> = (0..program.functions.len()).collect();
    while let Some(id) = work.pop_first() {
        let definitions = program.functions[id].definitions.iter();
        let sources = definitions.flat_map(|definition| kept_by(program, &keeps, definition));
        let found: BTreeSet<u32> = sources
            .filter_map(|source| match source {
                PointerSource::Param(param) => Some(param),
                _ => None,
            })
            .collect();
        if found.len() > keeps[id].len() {
            keeps[id] = found;
            work.extend(&callers[id]);
        }
    }
    keeps
}

/// The addresses that a definition retains, itself or through its callees.
fn kept_by(program: &Program, keeps: &[BTreeSet<u32>], definition: &Definition) -> BTreeSet<PointerSource> {
    let body_facts = program.body_facts(definition);
    let effects = &body_facts.effects;
    let mut kept: BTreeSet<PointerSource> = effects.stored.iter().chain(&effects.returned).copied().collect();
    if effects.writes_anything {
        kept.extend((0..body_facts.params.len() as u32).map(PointerSource::Param));
    }
    for (site, callees) in body_facts.calls.iter().zip(&definition.calls) {
        for (i, arg) in site.args.iter().enumerate() {
            // Addresses that became numbers are not tracked.
            let is_kept = arg.ty != Type::Ptr
                || match callees {
                    Callees::Known(ids) => ids.iter().any(|&id| is_kept(program, keeps, id, i)),
                    // What a model retains is listed in `effects.stored`.
                    Callees::Outside | Callees::Unknown => !site.is_listed,
                };
            if is_kept {
                kept.extend(&arg.sources);
            }
        }
    }
    kept
}

/// Arguments without a parameter are read by `va_arg`, or in an unknown way.
fn is_kept(program: &Program, keeps: &[BTreeSet<u32>], id: FunctionId, argument: usize) -> bool {
    let function = &program.functions[id];
    let mut definitions = function.definitions.iter();
    function.is_open
        || keeps[id].contains(&(argument as u32))
        || definitions.any(|definition| program.body_facts(definition).params.len() <= argument)
}
