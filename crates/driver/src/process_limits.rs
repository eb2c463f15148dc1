//! What a worker may use and which signals reach it. The only place that speaks to the operating system.

/// mimalloc's number for the delay in milliseconds after which freed memory goes back to the system; -1 is never.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;

/// mimalloc takes the place of the system's `malloc`, for clang too, so what clang frees is used again; it goes back to the system
/// only when the process ends. The system clears whatever it hands out a second time: a fifth of the time went into that.
pub fn keep_freed_memory() {
    // SAFETY: sets an option in a table; the number is in it.
    unsafe {
        libmimalloc_sys::mi_option_set(PURGE_DELAY, -1);
    }
}

/// Limits this process's memory and keeps it from leaving core files behind.
pub fn limit_memory(megabytes: u64) {
    set(libc::RLIMIT_AS, megabytes.saturating_mul(1 << 20));
    set(libc::RLIMIT_CORE, 0);
}

fn set(resource: libc::__rlimit_resource_t, bytes: u64) {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
    // SAFETY: `limit` is a valid rlimit for the time of the call. A refusal (the limit is already lower)
    // leaves the lower limit in force, which is as good.
    unsafe {
        libc::setrlimit(resource, &limit);
    }
}

/// Ctrl-C reaches every process of a terminal's group: only the parent decides what it means. A worker whose
/// parent dies has nobody to work for and dies too.
pub fn obey_only_the_parent() {
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
pub fn signal_name(signal: i32) -> String {
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
