//! Starts worker processes from one thread. Linux kills them with the *thread* that started them
//! (`process::ignore_signals_and_die_with_parent`), so that thread must live as long as they do.

use std::ffi::OsString;
use std::io;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Sender, channel};

pub(super) struct WorkerSpawner {
    requests: Sender<Request>,
}

struct Request {
    arguments: Vec<OsString>,
    started: Sender<io::Result<Child>>,
}

/// Settings of the allocators. A worker needs much memory and frees it only at its end, so an arena that grows in large
/// steps saves page faults. The first setting is for the solvers, which inherit it; the others are for our own allocator,
/// which clang uses too. Reserving 128 MB at a time leaves room below the memory limit. Huge pages save page faults, but
/// on virtual machines they may be slow to arrive: sqlite3.c took 1.68 s at best and 1.99 s in the median with them, 1.74
/// and 1.77 s without.
const TUNABLES: [(&str, &str); 4] = [
    ("GLIBC_TUNABLES", "glibc.malloc.arena_max=1:glibc.malloc.mmap_threshold=1000000000"),
    ("MIMALLOC_ARENA_RESERVE", "131072"),
    ("MIMALLOC_PURGE_DELAY", "-1"),
    ("MIMALLOC_ALLOW_THP", "0"),
];

impl WorkerSpawner {
    /// The thread ends when the spawner is dropped.
    pub(super) fn open() -> WorkerSpawner {
        let (requests, received) = channel::<Request>();
        std::thread::spawn(move || {
            for Request { arguments, started } in received {
                // The receiver waits in `WorkerSpawner::start`.
                let _ = started.send(start(&arguments));
            }
        });
        WorkerSpawner { requests }
    }

    /// Starts this program again, with pipes.
    pub(super) fn start(&self, arguments: Vec<OsString>) -> io::Result<Child> {
        let closed = || io::Error::other("the thread that starts workers has ended");
        let (started, child) = channel();
        self.requests.send(Request { arguments, started }).map_err(|_| closed())?;
        child.recv().map_err(|_| closed())?
    }
}

fn start(arguments: &[OsString]) -> io::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    for (name, value) in TUNABLES {
        if std::env::var_os(name).is_none() {
            command.env(name, value);
        }
    }
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
}
