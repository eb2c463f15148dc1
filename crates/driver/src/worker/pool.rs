//! Spreads jobs over worker processes and survives their failures.
//!
//! One thread per worker hands it one unit at a time. A worker that crashes, hangs or runs out of memory loses its unit,
//! except for the partial results that it sent before; the unit is not tried again, and the worker is replaced. Results
//! are kept by the unit's index, so they do not depend on the number of workers.

use crate::select::Unit;
use crate::worker::child::{ChildWorker, Loss};
use crate::worker::progress::Progress;
use crate::worker::spawner::WorkerSpawner;
use crate::worker::{Job, WorkerOptions, frame};
use serde::de::DeserializeOwned;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

/// How units are spread over worker processes, and what each may use.
#[derive(Clone, Copy, Debug)]
pub struct PoolOptions {
    /// Worker processes; 0 means one for each core.
    pub jobs: usize,
    /// Seconds after which a unit is cut short; its partial results are kept.
    pub unit_timeout: u64,
    /// MB after which a unit is cut short; its partial results are kept.
    pub memory_limit: u64,
    /// Show no progress bar.
    pub quiet: bool,
}

impl PoolOptions {
    /// How many processes, or threads in this one, work at the same time.
    pub(crate) fn workers(&self) -> NonZeroUsize {
        NonZeroUsize::new(self.jobs).unwrap_or_else(every_core)
    }
}

/// The number of cores.
pub(crate) fn every_core() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// What is to be done for a unit.
pub(crate) enum Task<T> {
    /// The result is known without a worker.
    Done(T),
    Run(Job),
    /// There is nothing to do.
    Skip,
}

/// The result of a job.
pub(crate) trait JobResult: DeserializeOwned + Send + Sync {
    /// The result that can be made of partial results when the worker was lost; `reason` says how.
    fn from_partial(_parts: &[Vec<u8>], _reason: &str) -> Option<Self> {
        None
    }
}

/// The workers of a run. They live from one phase to the next.
pub(crate) struct Pool<'a> {
    worker_options: &'a WorkerOptions,
    options: &'a PoolOptions,
    stop: &'a AtomicBool,
    spawner: WorkerSpawner,
    idle: Mutex<Vec<ChildWorker>>,
}

impl<'a> Pool<'a> {
    /// Workers are started when there are jobs for them.
    pub(crate) fn new(
        worker_options: &'a WorkerOptions,
        options: &'a PoolOptions,
        stop: &'a AtomicBool,
    ) -> Pool<'a> {
        Pool { worker_options, options, stop, spawner: WorkerSpawner::open(), idle: Mutex::default() }
    }

    /// The result for each unit, or the reason why there is none, in the order of the units. `None` for units that were
    /// skipped or not begun because `stop` was set. `task` is called by several threads at once.
    pub(crate) fn run<T: JobResult>(
        &self,
        units: &[Unit],
        task: &(impl Fn(usize) -> Task<T> + Sync),
    ) -> Vec<Option<Result<T, String>>> {
        let progress = Progress::new(units.len(), self.options.quiet);
        let results: Vec<OnceLock<Result<T, String>>> = units.iter().map(|_| OnceLock::new()).collect();
        let next = AtomicUsize::new(0);
        let one_worker = || {
            let mut worker = self.idle.lock().ok().and_then(|mut idle| idle.pop());
            while !self.stop.load(Ordering::Relaxed) {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(unit) = units.get(index) else { break };
                let result = match task(index) {
                    Task::Done(result) => Some(Ok(result)),
                    Task::Run(job) => self.execute(&mut worker, &job),
                    Task::Skip => None,
                };
                if let Some(result) = result {
                    // Each index is taken once.
                    let _ = results[index].set(result);
                }
                progress.done(&unit.file);
            }
            if let Ok(mut idle) = self.idle.lock() {
                idle.extend(worker);
            }
        };
        match self.options.workers().get().min(units.len()) {
            0 => {}
            1 => one_worker(),
            workers => std::thread::scope(|scope| {
                for _ in 0..workers {
                    scope.spawn(one_worker);
                }
            }),
        }
        progress.finish();
        results.into_iter().map(OnceLock::into_inner).collect()
    }

    /// Gives one job to the worker, and starts one if there is none. A worker that failed is not kept. `None` if `stop` was
    /// set meanwhile.
    fn execute<T: JobResult>(&self, slot: &mut Option<ChildWorker>, job: &Job) -> Option<Result<T, String>> {
        let Pool { worker_options, options, stop, spawner, .. } = self;
        let start = || ChildWorker::start(spawner, worker_options, options.memory_limit);
        let mut worker = match slot.take().map_or_else(start, Ok) {
            Ok(worker) => worker,
            Err(error) => return Some(Err(format!("no worker process could be started: {error}"))),
        };
        let mut parts = Vec::new();
        let reason = match worker.execute(job, Duration::from_secs(options.unit_timeout), stop, &mut parts) {
            Ok(bytes) => match frame::decode(&bytes) {
                Some(result) => {
                    *slot = Some(worker);
                    return Some(result);
                }
                None => {
                    worker.kill();
                    "internal error: the worker's answer makes no sense".into()
                }
            },
            Err(Loss::Stopped) => {
                worker.kill();
                return T::from_partial(&parts, "was interrupted").map(Ok);
            }
            Err(Loss::TooSlow) => {
                worker.kill();
                format!("took longer than {} s (--unit-timeout)", options.unit_timeout)
            }
            Err(Loss::Dead) => worker.cause_of_death(options.memory_limit),
        };
        Some(T::from_partial(&parts, &reason).ok_or(reason))
    }

    /// Ends the workers: there are no more jobs.
    pub(crate) fn end(self) {
        self.idle.into_inner().into_iter().flatten().for_each(ChildWorker::end);
    }
}
