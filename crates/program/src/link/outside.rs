//! Code outside of the program: which calls go there, and what it can change in the program (decision 019).
//!
//! A library that was compiled without the program can write what its arguments lead to and what escaped to it earlier, and
//! it can call functions whose address it got. It cannot name a variable of the program. So an object whose address is never
//! taken is unchanged, unless a callback writes it (`Program::written_by_callbacks`).
//!
//! - *Which functions?* In a whole program, all that it does not define. Otherwise a function that a system header
//!   declares and no unit defines; one that only the program's own headers declare may be a part of the program that was
//!   not read, and may do anything.
//! - *Callbacks of others.* If the units are a library, functions of its users may call everything that it exports. They reach
//!   the outside through parameters (`qsort`, or a handle), so a function that takes functions, opaque pointers or a variable
//!   number of arguments may do anything.
//! - *Threads.* A function that waits lets other threads run. Models say `returns` for functions that wait or lock; functions
//!   with similar names are treated alike. In a whole program, another thread can only start with a function whose address
//!   was passed out, and only such functions and their callees run concurrently with the first thread (`in_threads`): in
//!   them a call may do anything.
//! - *Signals.* A handler runs at any time, not only in calls: what handlers write is never assumed (`asynchronous_writes`).
//! - *longjmp* out of a callback continues at a `setjmp`, after which everything is havocked.
//! - *System names.* A program's own `malloc` is called by the library as well: it counts as a callback. So does a function
//!   that the linker knows by two names.

use super::asynchronous_writes::written_by;
use super::{Callees, FunctionId, Interface, Program, SymbolEntry, SymbolKind};
use crate::body_facts::{CallTarget, FunctionOrigin};
use crate::summary::GlobalName;
use gainsay_ir::gc::Linkage;
use std::collections::BTreeSet;

/// In names of functions that wait for others, lock, or run a loop of events.
const WAITING: &[&str] = &[
    "lock", "wait", "mutex", "cond", "sem", "barrier", "join", "sleep", "yield", "once", "fence", "atomic",
    "sync", "thread", "thrd", "poll", "loop", "run", "exec", "main", "iterate", "dispatch", "signal",
];

/// Functions that take callbacks and run them at once, at exit or in a signal handler, never in a thread.
const WITHOUT_THREADS: &[&str] = &[
    "qsort",
    "qsort_r",
    "bsearch",
    "lfind",
    "lsearch",
    "tsearch",
    "tfind",
    "tdelete",
    "tdestroy",
    "twalk",
    "signal",
    "sigaction",
    "bsd_signal",
    "sysv_signal",
    "__sysv_signal",
    "sigset",
    "atexit",
    "on_exit",
    "at_quick_exit",
    "scandir",
    "scandir64",
    "ftw",
    "ftw64",
    "nftw",
    "nftw64",
    "glob",
    "glob64",
    "globfree",
    "pthread_once",
    "call_once",
    "pthread_atfork",
    "pthread_key_create",
    "fopencookie",
    "fts_open",
    "_obstack_begin",
    "_obstack_begin_1",
    "_obstack_newchunk",
    "_obstack_free",
    "obstack_free",
    "obstack_printf",
    "obstack_vprintf",
];

/// Globals that code outside of the program changes by calling back. Calls must be resolved.
pub(super) fn written_by_callbacks(program: &Program) -> BTreeSet<GlobalName> {
    written_by(program, program.called_back.iter().copied().collect())
}

/// Functions that may run in a thread that is not the first. Calls must be resolved.
pub(super) fn in_threads(program: &Program) -> BTreeSet<FunctionId> {
    let mut found = BTreeSet::new();
    let mut work: Vec<FunctionId> = Vec::new();
    if may_have_threads(program) {
        work.extend(&program.called_back);
    }
    while let Some(id) = work.pop() {
        if found.insert(id) {
            let calls = program.functions[id].definitions.iter().flat_map(|definition| &definition.calls);
            work.extend(calls.flat_map(|callees| match callees {
                Callees::Known(ids) => ids.as_slice(),
                // Functions that are called there are callbacks.
                Callees::Outside | Callees::Unknown => &[],
            }));
        }
    }
    found
}

/// Functions of the program that others know by a name of the system's headers.
pub(super) fn known_to_system(program: &Program) -> BTreeSet<FunctionId> {
    let of_unit = |unit: &Interface| -> Vec<FunctionId> {
        let system = unit
            .symbols
            .values()
            .filter(|entry| entry.linkage != Linkage::Internal)
            .filter(|entry| matches!(entry.kind, SymbolKind::Function { is_system: true, .. }));
        system.filter_map(|entry| program.find(&unit.global_name(entry))).collect()
    };
    program.units.iter().flat_map(of_unit).collect()
}

/// Names of functions that are not the program's and of which a model says no more than that they return.
pub(super) fn waiting_functions(units: &[Interface]) -> BTreeSet<String> {
    let mut waiting = BTreeSet::new();
    for unit in units {
        let calls = unit.functions.iter().flat_map(|(_, body_facts)| &body_facts.calls);
        for site in calls.filter(|site| site.returns && !site.is_listed) {
            if let CallTarget::Symbol(symbol) = site.callee
                && let Some(entry) = unit.symbols.get(&symbol)
            {
                waiting.insert(entry.name.clone());
            }
        }
    }
    waiting
}

impl Program {
    /// Is code outside of the program unable to change the object?
    pub(crate) fn is_hidden_from_outside(&self, name: &GlobalName) -> bool {
        let is_unexposed = || self.unexposed.contains(name) || self.unretained_names.contains(name);
        !self.written_by_callbacks.contains(name) && is_unexposed()
    }

    /// Of a function that the program does not define.
    pub(super) fn is_outside(&self, entry: &SymbolEntry) -> bool {
        let SymbolKind::Function { is_system, takes_functions, takes_opaque, is_variadic, .. } = entry.kind
        else {
            return false;
        };
        let may_call_others = takes_functions || takes_opaque || is_variadic;
        let waits = || {
            self.waiting_functions.contains(&entry.name)
                || WAITING.iter().any(|word| entry.name.contains(word))
        };
        entry.linkage != Linkage::Internal && (self.is_closed || is_system && !may_call_others && !waits())
    }
}

/// Is a function called that may start a thread? System functions need a callback for that; others might do it without.
fn may_have_threads(program: &Program) -> bool {
    let mut sites = program.units.iter().flat_map(|unit| {
        let calls = unit.functions.iter().flat_map(|(_, body_facts)| &body_facts.calls);
        calls.map(move |site| (unit, site))
    });
    sites.any(|(unit, site)| {
        let CallTarget::Symbol(symbol) = site.callee else { return false };
        let Some(entry) = unit.symbols.get(&symbol) else { return true };
        let SymbolKind::Function { params, is_system, is_library, takes_functions, .. } = &entry.kind else {
            return true;
        };
        let is_function = |origin: &FunctionOrigin| matches!(origin, FunctionOrigin::Function(_));
        let further = || site.args.iter().skip(params.len()).flat_map(|arg| &arg.origins);
        program.find(&unit.global_name(entry)).is_none()
            && !(*is_library && WITHOUT_THREADS.contains(&entry.name.as_str()))
            && (!is_system || *takes_functions || further().any(is_function))
    })
}
