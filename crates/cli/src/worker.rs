//! The worker: this binary started again. Reads one unit per line from standard input, writes one answer per
//! line to standard output, until the input ends. Whatever kills it costs the unit it was busy with.

use crate::args::WorkerArgs;
use crate::check_options::CheckOptions;
use crate::kit::Kit;
use crate::units::Unit;
use crate::{limits, verify_work, work};
use clap::ValueEnum;
use gainsay_analysis::guard::guard;
use serde::Serialize;
use std::ffi::OsString;
use std::io::{BufRead, Write};
use std::process::ExitCode;

/// What to do with each unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Task {
    Check,
    Roundtrip,
    Verify,
    VerifyAll,
}

/// What a worker is started for.
pub(crate) struct Order {
    pub(crate) task: Task,
    pub(crate) options: CheckOptions,
}

impl Order {
    /// The command line of the worker.
    pub(crate) fn arguments(&self, memory_limit: u64) -> Vec<OsString> {
        let task = self.task.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
        let mut arguments = ["worker", "--task", &task, "--memory-limit"].map(OsString::from).to_vec();
        arguments.push(memory_limit.to_string().into());
        arguments.extend(self.options.arguments());
        arguments
    }
}

pub(crate) fn run(args: &WorkerArgs) -> ExitCode {
    let Ok(options) =
        CheckOptions::new(&args.show, args.loops.into(), args.transcript.as_deref(), args.timings)
    else {
        return ExitCode::FAILURE;
    };
    limits::obey_only_the_parent();
    limits::limit_memory(args.memory_limit);
    // A panic is caught and becomes an entry of the ledger; the parent reads standard error for other deaths.
    std::panic::set_hook(Box::new(|_| {}));
    let mut kit = Kit::default();
    for line in std::io::stdin().lock().lines() {
        // The parent is gone, or speaks another version's language: either way there is no work here.
        let Ok(line) = line else { return ExitCode::FAILURE };
        let Ok(unit) = serde_json::from_str::<Unit>(&line) else { return ExitCode::FAILURE };
        let answered = match args.task {
            Task::Check => {
                answer(&survive(&unit, |unit| work::check(unit, &options.of_unit(unit), &mut kit)))
            }
            Task::Verify | Task::VerifyAll => {
                let all = args.task == Task::VerifyAll;
                answer(&survive(&unit, |unit| {
                    verify_work::verify(unit, &options.of_unit(unit), all, &mut kit)
                }))
            }
            Task::Roundtrip => answer(&survive(&unit, work::roundtrip)),
        };
        if answered.is_err() {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn survive<T>(unit: &Unit, task: impl FnOnce(&Unit) -> Result<T, String>) -> Result<T, String> {
    let done = guard(|| {
        #[cfg(debug_assertions)]
        fault::inject(&unit.file);
        task(unit)
    });
    done.map_err(|panic| format!("internal error: {panic}"))?
}

fn answer<T: Serialize>(result: &Result<T, String>) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(result)?;
    line.push(b'\n');
    let mut out = std::io::stdout().lock();
    out.write_all(&line)?;
    out.flush()
}

/// Misfortunes on order, for the tests of the supervisor: `GAINSAY_TEST_FAULT=crash:SUBSTRING` and so on strike
/// where a unit's name contains the substring. Not part of release builds.
#[cfg(debug_assertions)]
mod fault {
    pub(super) fn inject(file: &str) {
        let Ok(order) = std::env::var("GAINSAY_TEST_FAULT") else { return };
        let Some((kind, _)) = order.split_once(':').filter(|(_, part)| file.contains(part)) else { return };
        match kind {
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
