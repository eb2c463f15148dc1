//! A solver program behind a pipe.
//!
//! Its output and its error output come through one pipe, in the order in which they were written: a message of
//! progress before an answer is read before the answer. Both directions are served at the same time, so that a
//! program that does not read, does not answer, never stops answering, or dies cannot block its user past the
//! deadline.

mod start;

use crate::limits::{MAX_ANSWER, MAX_SHOWN_OUTPUT};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use start::{Child, start};
use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::time::{Duration, Instant};

/// Why there is no answer. The process cannot be used any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The program could not be started.
    Start(String),
    /// The program ended or closed the pipe: its status and last output.
    Ended(String),
    /// The deadline passed.
    Late,
    /// The listener ended the query.
    Stopped,
    /// The output is malformed.
    Garbage(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Failure::Start(why) => write!(f, "the solver cannot be started: {why}"),
            Failure::Ended(how) => write!(f, "the solver ended unexpectedly: {how}"),
            Failure::Late => f.write_str("the solver did not answer in time"),
            Failure::Stopped => f.write_str("the solver was stopped at its limit"),
            Failure::Garbage(what) => write!(f, "the solver's output makes no sense: {what}"),
        }
    }
}

impl std::error::Error for Failure {}

/// What the listener makes of a line of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// Part of the answer.
    Answer,
    /// A message for the listener only.
    Message,
    /// Do not wait for the answer.
    Enough,
}

pub struct Process {
    child: Child,
    input: PipeWriter,
    output: PipeReader,
    received: Received,
    questions: u64,
}

impl Process {
    pub fn start(program: &Path, arguments: &[&str]) -> Result<Process, Failure> {
        let (reader, input) = io::pipe().map_err(|e| start_failure(program, &e))?;
        do_not_block(&input).map_err(|e| start_failure(program, &e))?;
        let (child, output) = spawn(program, arguments, reader.as_fd())?;
        Ok(Process { child, input, output, received: Received::default(), questions: 0 })
    }

    /// Sends the text and returns what the program writes until it has worked through all of it. Every complete
    /// line is shown to the listener first.
    pub fn ask(
        &mut self,
        text: &str,
        deadline: Instant,
        listener: &mut dyn FnMut(&str) -> Heard,
    ) -> Result<String, Failure> {
        self.questions += 1;
        let mark = format!("gainsay-{}", self.questions);
        let message = format!("{text}(echo \"{mark}\")\n");
        let mut unsent = message.as_bytes();
        let mut answer = String::new();
        loop {
            while let Some(line) = self.received.next_line() {
                // SMT-LIB requires quotes in the echo; solvers differ.
                if line.trim().trim_matches('"') == mark {
                    return Ok(answer);
                }
                match listener(&line) {
                    Heard::Answer => answer.push_str(&line),
                    Heard::Message => {}
                    Heard::Enough => return Err(Failure::Stopped),
                }
            }
            if answer.len() + self.received.bytes.len() > MAX_ANSWER {
                return Err(Failure::Garbage("it does not end".to_owned()));
            }
            let (readable, writable) =
                ready(&self.output, (!unsent.is_empty()).then_some(&self.input), deadline)?;
            if writable {
                match self.input.write(unsent) {
                    Ok(sent) => unsent = &unsent[sent..],
                    Err(e) if is_temporary(&e) => {}
                    // The program closed its input; its last output is still to be read.
                    Err(_) => unsent = &[],
                }
            }
            if readable && self.received.read_from(&mut self.output)? == 0 {
                return Err(self.ended(answer));
            }
        }
    }

    fn ended(&mut self, mut output: String) -> Failure {
        output.push_str(&String::from_utf8_lossy(&self.received.bytes[self.received.taken..]));
        let output: String = output.trim().chars().take(MAX_SHOWN_OUTPUT).collect();
        // It closed its output; whether it still runs does not matter.
        self.child.kill();
        let how = match self.child.wait() {
            Ok(status) => status.to_string(),
            Err(e) => e.to_string(),
        };
        Failure::Ended(if output.is_empty() { how } else { format!("{how}; it output `{output}`") })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.child.kill();
        let _ = self.child.wait();
    }
}

/// What came through the pipe, cut into lines.
#[derive(Default)]
struct Received {
    bytes: Vec<u8>,
    /// Up to here the bytes were handed out.
    taken: usize,
    /// Up to here there is no further end of a line.
    searched: usize,
}

impl Received {
    fn next_line(&mut self) -> Option<String> {
        let Some(length) = self.bytes[self.searched..].iter().position(|&byte| byte == b'\n') else {
            self.searched = self.bytes.len();
            return None;
        };
        let end = self.searched + length + 1;
        let line = String::from_utf8_lossy(&self.bytes[self.taken..end]).into_owned();
        (self.taken, self.searched) = (end, end);
        Some(line)
    }

    /// How many bytes came; 0 at the end.
    fn read_from(&mut self, output: &mut PipeReader) -> Result<usize, Failure> {
        self.bytes.drain(..self.taken);
        self.searched -= self.taken;
        self.taken = 0;
        read_some(output, &mut self.bytes)
    }
}

/// Runs a program without input to its end and returns its output and error output.
pub fn output(program: &Path, arguments: &[&str], limit: Duration) -> Result<String, Failure> {
    let deadline = Instant::now() + limit;
    let nothing = File::open("/dev/null").map_err(|e| start_failure(program, &e))?;
    let (mut child, mut pipe) = spawn(program, arguments, nothing.as_fd())?;
    let mut said = Vec::new();
    let result = loop {
        match ready(&pipe, None, deadline).and_then(|_| read_some(&mut pipe, &mut said)) {
            Ok(0) => break Ok(String::from_utf8_lossy(&said).into_owned()),
            Ok(_) if said.len() > MAX_ANSWER => {
                break Err(Failure::Garbage("it does not end".to_owned()));
            }
            Ok(_) => {}
            Err(failure) => break Err(failure),
        }
    };
    child.kill();
    let _ = child.wait();
    result
}

/// Starts the program with both its outputs in one pipe.
fn spawn(program: &Path, arguments: &[&str], input: BorrowedFd) -> Result<(Child, PipeReader), Failure> {
    let start = || {
        let (reader, writer) = io::pipe()?;
        do_not_block(&reader)?;
        Ok((start(program, arguments, input, writer.as_fd())?, reader))
    };
    start().map_err(|e| start_failure(program, &e))
}

fn do_not_block(end: impl AsFd) -> io::Result<()> {
    let flags = fcntl_getfl(&end)?;
    Ok(fcntl_setfl(&end, flags | OFlags::NONBLOCK)?)
}

/// Waits until there is something to read or room to write, and says which.
fn ready(
    output: &PipeReader,
    input: Option<&PipeWriter>,
    deadline: Instant,
) -> Result<(bool, bool), Failure> {
    loop {
        let left = deadline.checked_duration_since(Instant::now()).ok_or(Failure::Late)?;
        let timeout = Timespec {
            tv_sec: left.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: left.subsec_nanos().into(),
        };
        let mut ends = vec![PollFd::new(output, PollFlags::IN)];
        ends.extend(input.map(|input| PollFd::new(input, PollFlags::OUT)));
        match poll(&mut ends, Some(&timeout)) {
            Ok(0) => return Err(Failure::Late),
            Ok(_) => {
                let is_ready = |end: Option<&PollFd>| end.is_some_and(|end| !end.revents().is_empty());
                return Ok((is_ready(ends.first()), is_ready(ends.get(1))));
            }
            Err(rustix::io::Errno::INTR) => {}
            Err(e) => return Err(Failure::Ended(e.to_string())),
        }
    }
}

/// How many bytes came; 0 at the end.
fn read_some(output: &mut PipeReader, into: &mut Vec<u8>) -> Result<usize, Failure> {
    let mut chunk = [0; 1 << 16];
    loop {
        match output.read(&mut chunk) {
            Ok(count) => {
                into.extend_from_slice(&chunk[..count]);
                return Ok(count);
            }
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(Failure::Ended(e.to_string())),
        }
    }
}

fn is_temporary(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock)
}

fn start_failure(program: &Path, error: &io::Error) -> Failure {
    Failure::Start(format!("{}: {error}", program.display()))
}
