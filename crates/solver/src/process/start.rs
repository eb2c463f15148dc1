//! Starts a program that is killed when its parent dies.
//!
//! A solver in the middle of a search does not notice that its input was closed and would run for hours. So the child requests
//! a parent-death signal before `exec`. A plain `fork` copies the page tables of the parent, and each page then costs a fault
//! when it is written: after a large unit was read, that costs more than many a query. So the child shares the memory of the
//! parent until `exec`, as `posix_spawn` does, which cannot request the signal.

use std::ffi::{CString, OsStr, c_char, c_int, c_void};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;

/// Enough for a few system calls.
// not a limit: size of the child's stack
const STACK: usize = 64 << 10;

pub(super) struct Child {
    pid: libc::pid_t,
    /// Once it was waited for, the number may be another's.
    ended: Option<ExitStatus>,
}

impl Child {
    pub(super) fn kill(&mut self) {
        if self.ended.is_none() {
            // SAFETY: a plain system call; the child was not waited for, so the number is still its own.
            unsafe {
                libc::kill(self.pid, libc::SIGKILL);
            }
        }
    }

    pub(super) fn wait(&mut self) -> io::Result<ExitStatus> {
        if let Some(status) = self.ended {
            return Ok(status);
        }
        let mut status: c_int = 0;
        // SAFETY: `status` is valid for the time of the call.
        while unsafe { libc::waitpid(self.pid, &mut status, 0) } < 0 {
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
        Ok(*self.ended.insert(ExitStatus::from_raw(status)))
    }
}

/// All that the child needs; it must not allocate.
struct Plan {
    program: *const c_char,
    arguments: *const *const c_char,
    environment: *const *const c_char,
    input: RawFd,
    output: RawFd,
    /// Why it did not become the program.
    error: c_int,
}

/// Starts the program; it reads from `input`, and both its outputs go to `output`. Linux sends the signal when the *thread* ends
/// that called this.
pub(super) fn start(
    program: &Path,
    arguments: &[&str],
    input: BorrowedFd,
    output: BorrowedFd,
) -> io::Result<Child> {
    let program = CString::new(program.as_os_str().as_bytes())?;
    let words = arguments.iter().map(|&word| CString::new(word));
    let arguments = std::iter::once(Ok(program.clone())).chain(words).collect::<Result<Vec<_>, _>>()?;
    let environment = std::env::vars_os().map(|(name, value)| {
        CString::new([name.as_os_str(), OsStr::new("="), value.as_os_str()].map(OsStr::as_bytes).concat())
    });
    let environment = environment.collect::<Result<Vec<_>, _>>()?;
    let (arguments, environment) = (pointers(&arguments), pointers(&environment));
    let mut plan = Plan {
        program: program.as_ptr(),
        arguments: arguments.as_ptr(),
        environment: environment.as_ptr(),
        input: input.as_raw_fd(),
        output: output.as_raw_fd(),
        error: 0,
    };
    let mut stack: Vec<u128> = vec![0; STACK / size_of::<u128>()];
    let plan: *mut Plan = &mut plan;
    // SAFETY: the stack grows down from its end, which is aligned, and is large enough for `run`, which only makes system
    // calls. CLONE_VFORK: this thread waits until the child has its own memory or has ended, so everything that the plan
    // points to, and the stack, live long enough, and no other code writes the plan.
    let pid = unsafe {
        let top = stack.as_mut_ptr().add(stack.len());
        libc::clone(run, top.cast(), libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD, plan.cast())
    };
    if pid < 0 {
        return Err(io::Error::last_os_error());
    }
    let mut child = Child { pid, ended: None };
    // SAFETY: the child is another program, or has ended, and does not write the plan any more.
    match unsafe { (*plan).error } {
        0 => Ok(child),
        error => {
            let _ = child.wait();
            Err(io::Error::from_raw_os_error(error))
        }
    }
}

/// With NULL behind the last.
fn pointers(strings: &[CString]) -> Vec<*const c_char> {
    strings.iter().map(|string| string.as_ptr()).chain([std::ptr::null()]).collect()
}

/// What the child does.
extern "C" fn run(plan: *mut c_void) -> c_int {
    let plan: *mut Plan = plan.cast();
    // SAFETY: `start` keeps the plan alive until the child ends or becomes another program. Only system calls are made, on
    // descriptors and strings of the plan. The tables of signals and descriptors are the child's own.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        // Rust ignores this one, and programs inherit what is ignored.
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        let Plan { input, output, .. } = *plan;
        let is_connected =
            libc::dup2(input, 0) >= 0 && libc::dup2(output, 1) >= 0 && libc::dup2(output, 2) >= 0;
        if is_connected {
            libc::execve((*plan).program, (*plan).arguments, (*plan).environment);
        }
        (*plan).error = *libc::__errno_location();
    }
    127
}
