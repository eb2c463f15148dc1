//! The analyse phase: every unit that was read is analysed by a worker, unless the cache has its result.

use crate::cache::answer::{self, Settings};
use crate::link::Linked;
use crate::select::Unit;
use crate::unit::analyse::AnalysedUnit;
use crate::unit::read::ReadUnit;
use crate::worker::pool::{Pool, Task};
use crate::worker::{Job, WorkerOptions};

/// Analyses all units that could be read.
pub(crate) fn all(
    pool: &Pool,
    units: &[Unit],
    worker: &WorkerOptions,
    read: &[Option<Result<ReadUnit, String>>],
    linked: &Linked,
) -> Vec<Option<Result<AnalysedUnit, String>>> {
    // A transcript holds every question, so none may be answered from the cache.
    let may_use_cache = worker.store.lasts && !worker.check_cache && worker.options.transcript.is_none();
    let settings = may_use_cache.then(|| Settings::of_this_process(&worker.options)).flatten();
    let explains_macros = worker.options.explains_macros();
    pool.run(units, &|index| {
        let Some(Ok(read)) = &read[index] else { return Task::Skip };
        let (unit, facts) = (&units[index], linked.facts_for(index));
        let cached = settings.as_ref().and_then(|settings| {
            answer::read(&worker.store, unit, settings, read.file, &facts, explains_macros)
        });
        match cached {
            Some(analysed) => Task::Done(analysed),
            None => Task::Run(Job::Analyse { unit: unit.clone(), file: read.file, facts }),
        }
    })
}
