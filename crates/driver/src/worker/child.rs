//! One worker process, seen from the process that started it.

use crate::limits::{KEPT_STDERR, POLL_INTERVAL};
use crate::worker::frame::{self, Kind};
use crate::worker::process::signal_name;
use crate::worker::spawner::WorkerSpawner;
use crate::worker::{Job, WorkerOptions};
use std::io::{BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Why a worker gave no result.
pub(super) enum Loss {
    Dead,
    TooSlow,
    Stopped,
}

pub(super) struct ChildWorker {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Vec<u8>>,
    /// The end of what it wrote to standard error.
    stderr: Arc<Mutex<Vec<u8>>>,
    stderr_reader: JoinHandle<()>,
}

impl ChildWorker {
    pub(super) fn start(
        spawner: &WorkerSpawner,
        options: &WorkerOptions,
        memory_limit: u64,
    ) -> std::io::Result<ChildWorker> {
        let mut child = spawner.start(options.arguments(memory_limit))?;
        let (Some(input), Some(output), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(std::io::Error::other("its pipes are missing"));
        };
        let (send, messages) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = frame::read(&mut output) {
                if send.send(message).is_err() {
                    break;
                }
            }
        });
        let stderr = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&stderr);
        let stderr_reader = std::thread::spawn(move || keep_end(errors, &kept));
        Ok(ChildWorker { child, input, messages, stderr, stderr_reader })
    }

    /// Sends the job and waits for its result; `parts` gets the partial results.
    pub(super) fn execute(
        &mut self,
        job: &Job,
        time_limit: Duration,
        stop: &AtomicBool,
        parts: &mut Vec<Vec<u8>>,
    ) -> Result<Vec<u8>, Loss> {
        frame::write(&mut self.input, job).map_err(|_| Loss::Dead)?;
        let started = Instant::now();
        loop {
            match self.messages.recv_timeout(POLL_INTERVAL) {
                Ok(message) => match frame::split_kind(&message) {
                    Some((Kind::Partial, part)) => parts.push(part.to_vec()),
                    Some((Kind::Result, result)) => return Ok(result.to_vec()),
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

    /// Closes its input, at which it ends.
    pub(super) fn end(self) {
        let ChildWorker { mut child, input, .. } = self;
        drop(input);
        let _ = child.wait();
    }

    pub(super) fn kill(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Why a dead worker died. `memory_limit` is in MB.
    pub(super) fn cause_of_death(mut self, memory_limit: u64) -> String {
        drop(self.input);
        let status = self.child.wait().ok();
        let _ = self.stderr_reader.join();
        let stderr = self.stderr.lock().map(|kept| String::from_utf8_lossy(&kept).into_owned());
        cause_of_death(status, &stderr.unwrap_or_default(), memory_limit)
    }
}

/// Keeps the last few kilobytes of a stream.
fn keep_end(mut stream: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut buffer = [0; KEPT_STDERR];
    while let Ok(n @ 1..) = stream.read(&mut buffer) {
        let Ok(mut kept) = kept.lock() else { return };
        kept.extend_from_slice(&buffer[..n]);
        let excess = kept.len().saturating_sub(KEPT_STDERR);
        kept.drain(..excess);
    }
}

/// The allocator and the runtime leave no other trace of their reason than a message.
fn cause_of_death(status: Option<ExitStatus>, stderr: &str, memory_limit: u64) -> String {
    let contains = |messages: &[&str]| messages.iter().any(|message| stderr.contains(message));
    if contains(&["memory allocation of", "out of memory", "bad_alloc", "Allocation failed"]) {
        return format!("needed more than {memory_limit} MB of memory (--memory-limit)");
    }
    if contains(&["overflowed its stack"]) {
        return "overflowed the stack; its source is nested too deeply".into();
    }
    match (status.and_then(|status| status.signal()), status.and_then(|status| status.code())) {
        (Some(libc::SIGKILL), _) => "crashed with SIGKILL; the system may have run out of memory".into(),
        (Some(signal), _) => format!("crashed with {}", signal_name(signal)),
        (None, Some(code)) => format!("ended unexpectedly with code {code}"),
        (None, None) => "was lost".into(),
    }
}
