//! Spreads jobs over worker processes and outlives whatever happens in them.
//!
//! One thread per worker hands it one unit at a time. A worker that crashes, hangs or runs out of memory
//! loses the unit it had, but for what it sent before; the unit is not tried again, and the worker is replaced. Answers are
//! kept by the unit's index, so the result does not depend on the number of workers.

use crate::frame::{self, Kind};
use crate::process_limits::signal_name;
use crate::progress::Progress;
use crate::units::Unit;
use crate::worker::{Job, Order};
use crate::worker_spawner::WorkerSpawner;
use serde::de::DeserializeOwned;
use std::io::{BufReader, Read};
use std::num::NonZeroUsize;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, ExitStatus};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How units are spread over worker processes, and what each may use.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    /// Worker processes; 0 means one for each core.
    pub jobs: usize,
    /// Seconds after which a unit is cut short; what was found before stays.
    pub unit_timeout: u64,
    /// MB after which a unit is cut short; what was found before stays.
    pub memory_limit: u64,
    /// No progress bar.
    pub quiet: bool,
}

impl Spread {
    /// How many processes, or threads in this one, work at the same time.
    pub fn workers(&self) -> NonZeroUsize {
        NonZeroUsize::new(self.jobs).unwrap_or_else(every_core)
    }
}

/// One for each core.
pub fn every_core() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// How soon a stop is noticed.
const TICK: Duration = Duration::from_millis(50);

/// What is to be done about a unit.
pub enum Begin<T> {
    /// The answer is known without a worker.
    Known(T),
    Ask(Job),
    /// There is nothing to do.
    Skip,
}

/// An answer to a job.
pub trait Answer: DeserializeOwned + Send + Sync {
    /// What can be made of the pieces that came instead of it; `reason` says why.
    fn salvage(_pieces: &[Vec<u8>], _reason: &str) -> Option<Self> {
        None
    }
}

/// The workers of a run. They live from one phase to the next.
pub struct Pool<'a> {
    order: &'a Order,
    spread: &'a Spread,
    stop: &'a AtomicBool,
    worker_spawner: WorkerSpawner,
    idle: Mutex<Vec<Worker>>,
}

impl<'a> Pool<'a> {
    /// No worker is started before there is a job for it.
    pub fn new(order: &'a Order, spread: &'a Spread, stop: &'a AtomicBool) -> Pool<'a> {
        Pool { order, spread, stop, worker_spawner: WorkerSpawner::open(), idle: Mutex::default() }
    }

    pub fn workers(&self) -> NonZeroUsize {
        self.spread.workers()
    }

    /// The answer for each unit, in the order of the units: what the worker made of it, or why there is nothing.
    /// `None` for units that were skipped or not looked at because `stop` was set. `begin` runs where units are
    /// spread, several at once.
    pub fn run<T: Answer>(
        &self,
        units: &[&Unit],
        begin: &(impl Fn(usize) -> Begin<T> + Sync),
    ) -> Vec<Option<Result<T, String>>> {
        let progress = Progress::new(units.len(), self.spread.quiet);
        let answers: Vec<OnceLock<Result<T, String>>> = units.iter().map(|_| OnceLock::new()).collect();
        let next = AtomicUsize::new(0);
        let one_worker = || {
            let mut worker = self.idle.lock().ok().and_then(|mut idle| idle.pop());
            while !self.stop.load(Ordering::Relaxed) {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(unit) = units.get(index) else { break };
                let answer = match begin(index) {
                    Begin::Known(answer) => Some(Ok(answer)),
                    Begin::Ask(job) => self.hand_over(&mut worker, &job),
                    Begin::Skip => None,
                };
                if let Some(answer) = answer {
                    // Each index is taken once.
                    let _ = answers[index].set(answer);
                }
                progress.done(&unit.file);
            }
            if let Ok(mut idle) = self.idle.lock() {
                idle.extend(worker);
            }
        };
        match self.workers().get().min(units.len()) {
            0 => {}
            1 => one_worker(),
            workers => std::thread::scope(|scope| {
                for _ in 0..workers {
                    scope.spawn(one_worker);
                }
            }),
        }
        progress.finish();
        answers.into_iter().map(OnceLock::into_inner).collect()
    }

    /// Gives one job to the worker, starting one if there is none, and leaves no worker behind that failed.
    /// `None` if `stop` was set meanwhile.
    fn hand_over<T: Answer>(&self, slot: &mut Option<Worker>, job: &Job) -> Option<Result<T, String>> {
        let Pool { order, spread, stop, worker_spawner, .. } = self;
        let mut worker =
            match slot.take().map_or_else(|| Worker::start(worker_spawner, order, spread.memory_limit), Ok) {
                Ok(worker) => worker,
                Err(error) => return Some(Err(format!("no worker process could be started: {error}"))),
            };
        let mut pieces = Vec::new();
        let reason = match worker.ask(job, Duration::from_secs(spread.unit_timeout), stop, &mut pieces) {
            Ok(bytes) => match frame::value(&bytes) {
                Some(answer) => {
                    *slot = Some(worker);
                    return Some(answer);
                }
                None => {
                    worker.kill();
                    "internal error: the worker's answer makes no sense".into()
                }
            },
            Err(Loss::Stopped) => {
                worker.kill();
                return T::salvage(&pieces, "was interrupted").map(Ok);
            }
            Err(Loss::TooSlow) => {
                worker.kill();
                format!("took longer than {} s (--unit-timeout)", spread.unit_timeout)
            }
            Err(Loss::Dead) => {
                let (status, last_words) = worker.bury();
                cause_of_death(status, &last_words, spread.memory_limit)
            }
        };
        Some(T::salvage(&pieces, &reason).ok_or(reason))
    }

    /// Nothing more will be asked.
    pub fn end(self) {
        self.idle.into_inner().into_iter().flatten().for_each(Worker::end);
    }
}

/// Why a worker gave no answer.
enum Loss {
    Dead,
    TooSlow,
    Stopped,
}

struct Worker {
    child: Child,
    input: ChildStdin,
    answers: Receiver<Vec<u8>>,
    /// The end of what it wrote to standard error.
    last_words: Arc<Mutex<Vec<u8>>>,
    listener: JoinHandle<()>,
}

impl Worker {
    fn start(worker_spawner: &WorkerSpawner, order: &Order, memory_limit: u64) -> std::io::Result<Worker> {
        let mut child = worker_spawner.start(order.arguments(memory_limit))?;
        let (Some(input), Some(output), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(std::io::Error::other("its pipes are missing"));
        };
        let (send, answers) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(answer) = frame::read(&mut output) {
                if send.send(answer).is_err() {
                    break;
                }
            }
        });
        let last_words = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&last_words);
        let listener = std::thread::spawn(move || listen(errors, &heard));
        Ok(Worker { child, input, answers, last_words, listener })
    }

    fn ask(
        &mut self,
        job: &Job,
        time_limit: Duration,
        stop: &AtomicBool,
        pieces: &mut Vec<Vec<u8>>,
    ) -> Result<Vec<u8>, Loss> {
        frame::write(&mut self.input, job).map_err(|_| Loss::Dead)?;
        let started = Instant::now();
        loop {
            match self.answers.recv_timeout(TICK) {
                Ok(message) => match frame::sent(&message) {
                    Some((Kind::Piece, piece)) => pieces.push(piece.to_vec()),
                    Some((Kind::Answer, answer)) => return Ok(answer.to_vec()),
                    None => return Ok(Vec::new()),
                },
                Err(RecvTimeoutError::Disconnected) => return Err(Loss::Dead),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if stop.load(Ordering::Relaxed) {
                return Err(Loss::Stopped);
            }
            if started.elapsed() > time_limit {
                return Err(Loss::TooSlow);
            }
        }
    }

    /// It ends by itself when its input ends.
    fn end(self) {
        let Worker { mut child, input, .. } = self;
        drop(input);
        let _ = child.wait();
    }

    fn kill(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn bury(mut self) -> (Option<ExitStatus>, String) {
        drop(self.input);
        let status = self.child.wait().ok();
        let _ = self.listener.join();
        let words = self.last_words.lock().map(|words| String::from_utf8_lossy(&words).into_owned());
        (status, words.unwrap_or_default())
    }
}

/// Keeps the last few kilobytes of a stream.
fn listen(mut stream: impl Read, heard: &Mutex<Vec<u8>>) {
    const KEPT: usize = 4096;
    let mut buffer = [0; KEPT];
    while let Ok(n @ 1..) = stream.read(&mut buffer) {
        let Ok(mut heard) = heard.lock() else { return };
        heard.extend_from_slice(&buffer[..n]);
        let excess = heard.len().saturating_sub(KEPT);
        heard.drain(..excess);
    }
}

fn cause_of_death(status: Option<ExitStatus>, last_words: &str, memory_limit: u64) -> String {
    let said = |words: &[&str]| words.iter().any(|word| last_words.contains(word));
    if said(&["memory allocation of", "out of memory", "bad_alloc", "Allocation failed"]) {
        return format!("needed more than {memory_limit} MB of memory (--memory-limit)");
    }
    if said(&["overflowed its stack"]) {
        return "overflowed the stack; its source is nested too deeply".into();
    }
    match (status.and_then(|status| status.signal()), status.and_then(|status| status.code())) {
        (Some(libc::SIGKILL), _) => "crashed with SIGKILL; the system may have run out of memory".into(),
        (Some(signal), _) => format!("crashed with {}", signal_name(signal)),
        (None, Some(code)) => format!("ended unexpectedly with code {code}"),
        (None, None) => "was lost".into(),
    }
}
