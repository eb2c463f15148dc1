//! The worker: this binary started again. Reads one job after the other from standard input, writes an answer to each
//! to standard output, until the input ends. Whatever kills it costs the unit it was busy with.

use crate::analyse::{Work, analyse};
use crate::cache::{Hash, Store, hex};
use crate::check_options::CheckOptions;
use crate::piece::Piece;
use crate::read::{How, read};
use crate::units::Unit;
use crate::worker_state::WorkerState;
use crate::{frame, process_limits, verify_work};
use gainsay_analysis::guard::guard;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::process::ExitCode;

/// What to do with a unit.
#[derive(Debug, Serialize, Deserialize)]
pub enum Job {
    Read {
        unit: Unit,
        /// It is the only one: whoever reads it analyses it, and nothing is put aside.
        is_alone: bool,
    },
    /// From the unit file of that hash, and what is known of the functions of other units.
    Analyse {
        unit: Unit,
        file: Hash,
        summaries: Vec<u8>,
    },
    /// What others may know of the unit when it is proved.
    Survey(Unit),
    Verify {
        unit: Unit,
        summaries: Vec<u8>,
        wanted: verify_work::Wanted,
    },
}

/// What a worker is started for.
pub struct Order {
    pub options: CheckOptions,
    pub store: Store,
    pub check_cache: bool,
}

impl Order {
    /// The command line of the worker.
    pub fn arguments(&self, memory_limit: u64) -> Vec<OsString> {
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

/// Answers jobs until standard input ends. `memory_limit` is in MB.
pub fn run(order: &Order, memory_limit: u64) -> ExitCode {
    process_limits::obey_only_the_parent();
    process_limits::limit_memory(memory_limit);
    // A panic is caught and becomes an entry of the ledger; the parent reads standard error for other deaths.
    std::panic::set_hook(Box::new(|_| {}));
    let mut worker_state = WorkerState::default();
    let mut input = std::io::stdin().lock();
    while let Some(job) = frame::read(&mut input) {
        // The parent speaks another version's language: there is no work here.
        let Some(job) = frame::value::<Job>(&job) else { return ExitCode::FAILURE };
        if done(&job, order, &mut worker_state).is_err() {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn done(job: &Job, order: &Order, worker_state: &mut WorkerState) -> std::io::Result<()> {
    let Order { options, store, check_cache } = order;
    match job {
        Job::Read { unit, is_alone } => {
            let finds_input_paths = options.evidence.is_some();
            let how = How { is_alone: *is_alone, check_cache: *check_cache, finds_input_paths };
            let read = survive(unit, "", || read(unit, store, how, worker_state));
            answer(&read.map(|read| read.with_timings(options.timings)))
        }
        Job::Analyse { unit, file, summaries } => {
            let options = &options.of_unit(unit);
            let (file, check_cache) = (*file, *check_cache);
            let work = Work { unit, file, summaries, options, store, check_cache };
            answer(&survive(unit, "late-", || analyse(&work, worker_state, &piece)))
        }
        Job::Survey(unit) => answer(&survive(unit, "", || verify_work::survey(unit, worker_state))),
        Job::Verify { unit, summaries, wanted } => {
            let options = &options.of_unit(unit);
            answer(&survive(unit, "late-", || {
                verify_work::verify(unit, summaries, *wanted, options, worker_state)
            }))
        }
    }
}

/// `_phase`: which faults strike here.
fn survive<T>(unit: &Unit, _phase: &str, task: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    let _file = &unit.file;
    let done = guard(|| {
        #[cfg(debug_assertions)]
        fault::inject(_phase, _file);
        task()
    });
    done.map_err(|panic| format!("internal error: {panic}"))?
}

fn answer<T: Serialize>(result: &Result<T, String>) -> std::io::Result<()> {
    frame::send(std::io::stdout().lock(), frame::Kind::Answer, result)
}

/// What is known so far, in case that the answer never comes. If nobody listens, the answer will fail as well.
fn piece(piece: &Piece) {
    let _ = frame::send(std::io::stdout().lock(), frame::Kind::Piece, piece);
}

/// Misfortunes on order, for the tests of the supervisor: `GAINSAY_TEST_FAULT=crash:SUBSTRING` and so on strike
/// where a unit's name contains the substring: when it is read, or with `late-crash` when it is analysed;
/// `function-crash:SUBSTRING` where the name of a function that is analysed contains it. Not part of release builds.
#[cfg(debug_assertions)]
pub mod fault {
    /// Is a lie to be put into the cache for this unit?
    pub fn lies(file: &str) -> bool {
        let order = std::env::var("GAINSAY_TEST_FAULT").unwrap_or_default();
        order.split_once(':').is_some_and(|(kind, part)| kind == "lie" && file.contains(part))
    }

    /// `GAINSAY_TEST_PATIENCE=SECONDS`: no solver is waited for any longer.
    pub fn patience() -> Option<std::time::Duration> {
        let seconds = std::env::var("GAINSAY_TEST_PATIENCE").ok()?;
        seconds.parse().ok().map(std::time::Duration::from_secs)
    }

    pub fn inject(phase: &str, file: &str) {
        let Ok(order) = std::env::var("GAINSAY_TEST_FAULT") else { return };
        let Some((kind, _)) = order.split_once(':').filter(|(_, part)| file.contains(part)) else { return };
        let of_this_phase = match phase {
            "" => Some(kind),
            phase => kind.strip_prefix(phase),
        };
        match of_this_phase.unwrap_or_default() {
            "crash" => std::process::abort(),
            "panic" => panic!("on order"),
            "hang" => std::thread::sleep(std::time::Duration::from_secs(3600)),
            "memory" => {
                let mut hoard: Vec<Vec<u8>> = Vec::new();
                loop {
                    hoard.push(vec![1; 64 << 20]);
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
