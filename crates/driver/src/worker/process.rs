//! Memory limits, memory reuse and signals of a process. The only module that makes system calls for them.

/// mimalloc's option for the delay in milliseconds after which freed memory is returned to the system; -1 is never.
// not a limit: number of an option of mimalloc
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;

/// Keeps freed memory until the process ends. mimalloc replaces the system's `malloc`, for clang too, so memory that clang
/// frees is used again. The system would clear pages that it hands out a second time, which took a fifth of the time.
pub fn keep_freed_memory() {
    // SAFETY: sets an option in a table; the number is in it.
    unsafe {
        libmimalloc_sys::mi_option_set(PURGE_DELAY, -1);
    }
}

/// Limits the memory of this process and disables core files.
pub(crate) fn limit_memory(megabytes: u64) {
    set(libc::RLIMIT_AS, megabytes.saturating_mul(1 << 20));
    set(libc::RLIMIT_CORE, 0);
}

fn set(resource: libc::__rlimit_resource_t, bytes: u64) {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
    // SAFETY: `limit` is a valid rlimit for the time of the call. If the call fails because the limit is already lower,
    // the lower limit stays in force.
    unsafe {
        libc::setrlimit(resource, &limit);
    }
}

/// Ctrl-C reaches every process of a terminal's group, but only the parent acts on it. A worker dies with its parent.
pub(crate) fn ignore_signals_and_die_with_parent() {
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        // SAFETY: ignoring a signal installs no handler.
        unsafe {
            libc::signal(signal, libc::SIG_IGN);
        }
    }
    #[cfg(target_os = "linux")]
    // SAFETY: a plain system call that takes no pointers.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
    }
}

/// `SIGSEGV` for 11.
pub(crate) fn signal_name(signal: i32) -> String {
    let name = match signal {
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGILL => "SIGILL",
        libc::SIGKILL => "SIGKILL",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGTRAP => "SIGTRAP",
        _ => return format!("signal {signal}"),
    };
    name.to_owned()
}
