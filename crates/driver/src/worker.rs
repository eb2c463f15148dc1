//! The worker: this binary, started again. It reads one job after the other from standard input and writes the result of
//! each to standard output, until the input ends. A worker that dies costs the unit it was working on.

mod child;
pub(crate) mod frame;
pub mod pool;
pub mod process;
mod progress;
mod spawner;
pub mod stack;
pub(crate) mod state;

use crate::cache::{Hash, Store, hex};
use crate::check_options::CheckOptions;
use crate::select::Unit;
use crate::unit::analyse::{AnalyseJob, analyse};
use crate::unit::partial::PartialResult;
use crate::unit::read::{ReadOptions, read};
use crate::unit::verify::{self, VerifyOptions};
use crate::worker::state::WorkerState;
use gainsay_analysis::guard::guard;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::process::ExitCode;

/// What to do with a unit.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Job {
    Read {
        unit: Unit,
        /// The same worker will analyse it, so nothing is put into the store.
        is_only_unit: bool,
    },
    /// `file` is the hash of the unit file, `facts` what linking found for the unit.
    Analyse {
        unit: Unit,
        file: Hash,
        facts: Vec<u8>,
    },
    /// The interface of the unit, for `verify`.
    Survey(Unit),
    Verify {
        unit: Unit,
        facts: Vec<u8>,
        options: VerifyOptions,
    },
}

/// The options that a worker is started with.
pub struct WorkerOptions {
    pub options: CheckOptions,
    pub store: Store,
    pub check_cache: bool,
}

impl WorkerOptions {
    /// The command line of the worker; `cli` parses it.
    pub(crate) fn arguments(&self, memory_limit: u64) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = vec!["worker".into(), "--memory-limit".into()];
        arguments.push(memory_limit.to_string().into());
        arguments.extend(["--store".into(), self.store.directory.clone().into_os_string()]);
        arguments.extend(["--identity".into(), hex(&self.store.identity).into()]);
        arguments.extend(self.store.lasts.then(|| "--lasts".into()));
        arguments.extend(self.check_cache.then(|| "--check-cache".into()));
        arguments.extend(self.options.arguments());
        arguments
    }
}

/// Executes jobs until standard input ends. `memory_limit` is in MB.
pub fn run(options: &WorkerOptions, memory_limit: u64) -> ExitCode {
    process::ignore_signals_and_die_with_parent();
    process::limit_memory(memory_limit);
    // Panics are caught and become entries of the coverage ledger. The parent reads standard error to explain other deaths.
    std::panic::set_hook(Box::new(|_| {}));
    let mut worker_state = WorkerState::default();
    let mut input = std::io::stdin().lock();
    while let Some(job) = frame::read(&mut input) {
        // A job that cannot be decoded comes from another version of this program.
        let Some(job) = frame::decode::<Job>(&job) else { return ExitCode::FAILURE };
        if execute(&job, options, &mut worker_state).is_err() {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn execute(job: &Job, options: &WorkerOptions, worker_state: &mut WorkerState) -> std::io::Result<()> {
    let WorkerOptions { options, store, check_cache } = options;
    match job {
        Job::Read { unit, is_only_unit } => {
            let read_options = ReadOptions {
                is_only_unit: *is_only_unit,
                check_cache: *check_cache,
                finds_input_paths: options.evidence.is_some(),
            };
            let read = catch_panic(unit, "", || read(unit, store, read_options, worker_state));
            send_result(&read.map(|read| read.with_timings(options.timings)))
        }
        Job::Analyse { unit, file, facts } => {
            let options = &options.of_unit(unit);
            let (file, check_cache) = (*file, *check_cache);
            let job = AnalyseJob { unit, file, facts, options, store, check_cache };
            send_result(&catch_panic(unit, "late-", || analyse(&job, worker_state, &send_partial)))
        }
        Job::Survey(unit) => send_result(&catch_panic(unit, "", || verify::survey(unit, worker_state))),
        Job::Verify { unit, facts, options: verify_options } => {
            let options = &options.of_unit(unit);
            send_result(&catch_panic(unit, "late-", || {
                verify::verify(unit, facts, *verify_options, options, worker_state)
            }))
        }
    }
}

/// Turns a panic into an error. `_phase`: which injected faults apply.
fn catch_panic<T>(unit: &Unit, _phase: &str, task: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    let _file = &unit.file;
    let done = guard(|| {
        #[cfg(debug_assertions)]
        fault::inject(_phase, _file);
        task()
    });
    done.map_err(|panic| format!("internal error: {panic}"))?
}

fn send_result<T: Serialize>(result: &Result<T, String>) -> std::io::Result<()> {
    frame::send(std::io::stdout().lock(), frame::Kind::Result, result)
}

/// Sends what is known so far, in case the worker does not finish. Errors are ignored: sending the result will fail too.
fn send_partial(part: &PartialResult) {
    let _ = frame::send(std::io::stdout().lock(), frame::Kind::Partial, part);
}

/// Injected faults, for the tests of the worker pool. `GAINSAY_TEST_FAULT=crash:SUBSTRING` crashes the worker when it reads
/// a unit whose name contains the substring, `late-crash` when it analyses the unit, and `function-crash` when it analyses
/// a function whose name contains the substring. Not part of release builds.
#[cfg(debug_assertions)]
pub(crate) mod fault {
    /// Whether a wrong result is to be put into the cache for this unit.
    pub(crate) fn lies(file: &str) -> bool {
        let fault = std::env::var("GAINSAY_TEST_FAULT").unwrap_or_default();
        fault.split_once(':').is_some_and(|(kind, part)| kind == "lie" && file.contains(part))
    }

    /// `GAINSAY_TEST_PATIENCE=SECONDS`: the longest time to wait for a solver.
    pub(crate) fn patience() -> Option<std::time::Duration> {
        let seconds = std::env::var("GAINSAY_TEST_PATIENCE").ok()?;
        seconds.parse().ok().map(std::time::Duration::from_secs)
    }

    pub(crate) fn inject(phase: &str, file: &str) {
        let Ok(fault) = std::env::var("GAINSAY_TEST_FAULT") else { return };
        let Some((kind, _)) = fault.split_once(':').filter(|(_, part)| file.contains(part)) else { return };
        let of_this_phase = match phase {
            "" => Some(kind),
            phase => kind.strip_prefix(phase),
        };
        match of_this_phase.unwrap_or_default() {
            "crash" => std::process::abort(),
            "panic" => panic!("on order"),
            "hang" => std::thread::sleep(std::time::Duration::from_secs(3600)),
            "memory" => {
                let mut allocated: Vec<Vec<u8>> = Vec::new();
                loop {
                    allocated.push(vec![1; 64 << 20]);
                }
            }
            "stack" => {
                std::hint::black_box(deep(u64::MAX));
            }
            _ => {}
        }
    }

    fn deep(n: u64) -> u64 {
        if n == 0 { 0 } else { std::hint::black_box(deep(n - 1)) + 1 }
    }
}
