//! Globals that may change at any time, because a signal handler or another thread of the program writes them.
//!
//! C allows a handler to write volatile and atomic objects only, and threads need locks (C11 5.1.2.3p5, 5.1.2.4p25), but real
//! programs wait in `read` for a plain flag. Every read of such a global yields any value, so input and output need not be
//! treated as unknown calls. Only writes by name are found; writes of a handler through a pointer must follow the rules
//! of C.

use super::{Callees, FunctionId, Program, SymbolKind};
use crate::body_facts::PointerSource;
use crate::summary::GlobalName;
use gainsay_ir::gc::Linkage;
use gainsay_ir::types::Type;
use std::collections::BTreeSet;

const INT: Type = Type::Int(32);
const LONG: Type = Type::Int(64);

/// Functions that install callbacks, and variables that hold one (`error` calls it to print the name of the program), with
/// the types of the callbacks.
const INSTALLERS: &[(&[&str], &[Type], Option<Type>)] = &[
    (&["signal", "sigaction", "bsd_signal", "sysv_signal", "__sysv_signal", "sigset"], &[INT], None),
    (&["sigaction"], &[INT, Type::Ptr, Type::Ptr], None),
    (&["pthread_create"], &[Type::Ptr], Some(Type::Ptr)),
    (&["thrd_create"], &[Type::Ptr], Some(INT)),
    (&["fopencookie"], &[Type::Ptr, Type::Ptr, LONG], Some(LONG)),
    (&["error_print_progname"], &[], None),
    (&["funopen"], &[Type::Ptr, Type::Ptr, INT], Some(INT)),
];

/// Calls must be resolved.
pub(super) fn asynchronously_written(program: &Program) -> BTreeSet<GlobalName> {
    let mut work: Vec<FunctionId> = Vec::new();
    for (installers, params, result) in INSTALLERS {
        if is_named(program, installers) {
            work.extend(program.pointed_at.get(&(params.to_vec(), *result)).into_iter().flatten());
        }
    }
    written_by(program, work)
}

/// The globals that the functions write by name, and those that they call.
pub(super) fn written_by(program: &Program, mut work: Vec<FunctionId>) -> BTreeSet<GlobalName> {
    let mut functions: BTreeSet<FunctionId> = BTreeSet::new();
    let mut written = BTreeSet::new();
    while let Some(id) = work.pop() {
        if !functions.insert(id) {
            continue;
        }
        for definition in &program.functions[id].definitions {
            let (unit, body_facts) = (&program.units[definition.unit], program.body_facts(definition));
            let direct = body_facts.effects.writes.iter().map(|(source, _)| *source);
            // A callee may write through an address that it is passed.
            let passed =
                body_facts.calls.iter().flat_map(|site| &site.args).flat_map(|arg| &arg.sources).copied();
            for source in direct.chain(passed) {
                if let PointerSource::Symbol(symbol) = source
                    && let Some(entry) = unit.symbols.get(&symbol)
                    && matches!(entry.kind, SymbolKind::Object { is_constant: false, .. })
                {
                    written.insert(unit.global_name(entry));
                }
            }
            for (call, callees) in definition.calls.iter().enumerate() {
                match callees {
                    Callees::Known(ids) => work.extend(ids),
                    Callees::Outside | Callees::Unknown => work.extend(program.possible(definition, call)),
                }
            }
        }
    }
    written
}

fn is_named(program: &Program, names: &[&str]) -> bool {
    let mut symbols = program.units.iter().flat_map(|unit| unit.symbols.values());
    symbols.any(|entry| entry.linkage != Linkage::Internal && names.contains(&entry.name.as_str()))
}
