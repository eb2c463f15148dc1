//! Where worker processes are born. Linux ends them with the *thread* that started them (`limits::obey_only_the_parent`), so
//! that must be one which lives as long as they may.

use std::ffi::OsString;
use std::io;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Sender, channel};

pub(crate) struct WorkerSpawner {
    wanted: Sender<Wanted>,
}

struct Wanted {
    arguments: Vec<OsString>,
    born: Sender<io::Result<Child>>,
}

/// A worker takes much memory and gives it back only at its end: an arena that grows in large steps saves page faults.
/// The first is the allocator of the solvers, who inherit it. The others are our own and clang's. Reserving little at a time
/// leaves room below the limit of the memory. Huge pages save page faults, but on virtual machines, whose memory comes when it
/// is touched, they may take long to come: sqlite3.c took 1.68 s at best and 1.99 s in the median with them, 1.74 and 1.77 s without.
const TUNABLES: [(&str, &str); 4] = [
    ("GLIBC_TUNABLES", "glibc.malloc.arena_max=1:glibc.malloc.mmap_threshold=1000000000"),
    ("MIMALLOC_ARENA_RESERVE", "131072"),
    ("MIMALLOC_PURGE_DELAY", "-1"),
    ("MIMALLOC_ALLOW_THP", "0"),
];

impl WorkerSpawner {
    /// Its thread ends when the nursery is dropped.
    pub(crate) fn open() -> WorkerSpawner {
        let (wanted, asked) = channel::<Wanted>();
        std::thread::spawn(move || {
            for Wanted { arguments, born } in asked {
                // Whoever asked is waiting.
                let _ = born.send(start(&arguments));
            }
        });
        WorkerSpawner { wanted }
    }

    /// This program again, with pipes.
    pub(crate) fn start(&self, arguments: Vec<OsString>) -> io::Result<Child> {
        let closed = || io::Error::other("nobody is there to start it");
        let (born, child) = channel();
        self.wanted.send(Wanted { arguments, born }).map_err(|_| closed())?;
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
