//! The read phase: every unit is parsed, lowered and put into the store by a worker, or found there.

use crate::cache::evict;
use crate::cache::file_system::FileSystem;
use crate::cache::manifest::{self, Manifest};
use crate::select::Unit;
use crate::unit::read::ReadUnit;
use crate::worker::pool::{Pool, Task};
use crate::worker::{Job, WorkerOptions};
use gainsay_program::link::{Interface, mistaken};
use std::collections::BTreeSet;

/// Reads all units. Units that took functions of the program for functions of the library are read again.
pub(crate) fn all(
    pool: &Pool,
    units: &mut [Unit],
    worker: &WorkerOptions,
) -> Vec<Option<Result<ReadUnit, String>>> {
    let read = |units: &[Unit], is_wanted: &(dyn Fn(usize) -> bool + Sync)| {
        let file_system = FileSystem::default();
        pool.run(units, &|index| match is_wanted(index) {
            true => task(&units[index], units.len(), worker, &file_system),
            false => Task::Skip,
        })
    };
    with_own_functions(units, &read, interface)
}

fn interface(read: &mut ReadUnit) -> &mut Interface {
    &mut read.interface
}

fn task(unit: &Unit, n_units: usize, worker: &WorkerOptions, files: &FileSystem) -> Task<ReadUnit> {
    let may_use_cache = worker.store.lasts && !worker.check_cache;
    let suffices =
        |manifest: &Manifest| worker.options.evidence.is_none() || manifest.interface.input_paths.is_some();
    let cached = may_use_cache.then(|| Manifest::current(&worker.store, unit, files)).flatten();
    match cached.filter(suffices) {
        Some(manifest) => {
            evict::touch(&worker.store.path(unit, manifest::EXTENSION));
            Task::Done(manifest.into())
        }
        None => {
            Task::Run(Job::Read { unit: unit.clone(), is_only_unit: n_units == 1 && !worker.store.lasts })
        }
    }
}

/// Takes the interfaces of the units that could be read.
pub(crate) fn interfaces(
    read: &mut [Option<Result<ReadUnit, String>>],
) -> impl Iterator<Item = Option<Interface>> {
    take_interfaces(read, interface)
}

/// Takes the interface of every result that is not an error.
pub(crate) fn take_interfaces<T>(
    results: &mut [Option<Result<T, String>>],
    interface: fn(&mut T) -> &mut Interface,
) -> impl Iterator<Item = Option<Interface>> {
    results.iter_mut().map(move |result| match result {
        Some(Ok(result)) => Some(std::mem::take(interface(result))),
        _ => None,
    })
}

type IsWanted<'a> = &'a (dyn Fn(usize) -> bool + Sync);

/// Of each unit, in order; `None` for units that were skipped.
type Results<T> = Vec<Option<Result<T, String>>>;

/// Applies `read` to all units, and a second time to those that learn from the first that a function with a name of the
/// library's is defined by the program.
pub(crate) fn with_own_functions<T>(
    units: &mut [Unit],
    read: &dyn Fn(&[Unit], IsWanted) -> Results<T>,
    interface: fn(&mut T) -> &mut Interface,
) -> Results<T> {
    let mut results = read(units, &|_| true);
    let interfaces = results.iter_mut().map(|result| Some(&*interface(result.as_mut()?.as_mut().ok()?)));
    let interfaces: Vec<Option<&Interface>> = interfaces.collect();
    let changed = set_own_functions(units, interfaces.into_iter());
    if !changed.is_empty() {
        let again = read(units, &|index| changed.contains(&index));
        let again = results.iter_mut().zip(again).filter(|(_, again)| again.is_some());
        again.for_each(|(result, again)| *result = again);
    }
    results
}

/// Sets `own_functions` of the units; gives the numbers of the units that changed.
pub(crate) fn set_own_functions<'a>(
    units: &mut [Unit],
    interfaces: impl Iterator<Item = Option<&'a Interface>> + Clone,
) -> BTreeSet<usize> {
    let mut changed = BTreeSet::new();
    for (index, (unit, own_functions)) in units.iter_mut().zip(mistaken(interfaces)).enumerate() {
        if !own_functions.is_empty() {
            unit.own_functions = own_functions;
            changed.insert(index);
        }
    }
    changed
}
