//! Starts other programs: with inherited output, captured, into a log file, or measured with a time limit.
//!
//! Children are waited for with `wait4`, because std reports neither the CPU time nor the peak memory of a child.

mod memory;

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Runs a command whose output goes straight to the terminal.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|e| cannot_start(command, &e))?;
    if status.success() { Ok(()) } else { Err(format!("`{}` failed ({status})", line_of(command))) }
}

/// Runs a command and returns its stdout; the error contains its stderr.
pub(crate) fn capture(command: &mut Command) -> Result<String, String> {
    let output = command.stdin(Stdio::null()).output().map_err(|e| cannot_start(command, &e))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(format!("`{}` failed ({}): {}", line_of(command), output.status, stderr.trim()))
}

/// Runs a command with stdout and stderr appended to `log`; the error names the log.
pub(crate) fn run_into_log(command: &mut Command, log: &Path) -> Result<(), String> {
    let open = || File::options().create(true).append(true).open(log);
    let out = open().map_err(|e| format!("cannot write {}: {e}", log.display()))?;
    let err = open().map_err(|e| format!("cannot write {}: {e}", log.display()))?;
    let status = command
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .status()
        .map_err(|e| cannot_start(command, &e))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`{}` failed ({status}); see {}", line_of(command), log.display()))
    }
}

/// The result and the cost of a measured child.
pub(crate) struct Finished {
    /// The exit code, or `None` if a signal ended the child.
    pub(crate) code: Option<i32>,
    pub(crate) timed_out: bool,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// User plus system time of the child and of the descendants it waited for.
    pub(crate) cpu: Duration,
    /// The peak of the child or of one of those descendants, whichever is higher. Linux counts from the fork on, so it is
    /// at least xtask's own memory at that time.
    pub(crate) peak_memory_kib: u64,
    /// The peak of the child and all its descendants together; 0 unless it was watched.
    pub(crate) peak_together_kib: u64,
}

/// Runs a command until it ends, or kills its process group after `limit`.
pub(crate) fn run_measured(command: &mut Command, limit: Option<Duration>) -> Result<Finished, String> {
    run_child(command, limit, |_| 0)
}

/// Runs a command until it ends and samples the memory of all its processes together.
pub(crate) fn run_watched(command: &mut Command) -> Result<Finished, String> {
    // Memory is sampled only while polling, which needs a limit.
    run_child(command, Some(Duration::MAX), memory::of_family)
}

fn run_child(
    command: &mut Command,
    limit: Option<Duration>,
    watch: impl Fn(i32) -> u64,
) -> Result<Finished, String> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().map_err(|e| cannot_start(command, &e))?;
    let pid = child.id() as i32;
    let stdout = read_in_background(child.stdout.take());
    let stderr = read_in_background(child.stderr.take());
    let start = Instant::now();
    let mut timed_out = false;
    let (mut peak_together_kib, mut polls) = (0, 0u64);
    let (status, usage) = loop {
        let options = if limit.is_none() || timed_out { 0 } else { libc::WNOHANG };
        if let Some(end) = wait(pid, options)? {
            break end;
        }
        if limit.is_some_and(|limit| start.elapsed() >= limit) {
            // SAFETY: plain system call; the child is not reaped yet, so its group id is still its own.
            unsafe { libc::kill(-pid, libc::SIGKILL) };
            timed_out = true;
        } else {
            if polls.is_multiple_of(POLLS_PER_WATCH) {
                peak_together_kib = peak_together_kib.max(watch(pid));
            }
            polls += 1;
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    Ok(Finished {
        code: libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)),
        timed_out,
        stdout: stdout.join().unwrap_or_default(),
        stderr: stderr.join().unwrap_or_default(),
        cpu: duration(usage.ru_utime) + duration(usage.ru_stime),
        peak_memory_kib: usage.ru_maxrss.max(0) as u64,
        peak_together_kib,
    })
}

/// The path of a program that is in PATH.
pub(crate) fn find_in_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(name)).find(|file| file.is_file())
}

/// The command line, for messages.
pub(crate) fn line_of(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

fn cannot_start(command: &Command, error: &std::io::Error) -> String {
    format!("cannot start `{}`: {error}", command.get_program().to_string_lossy())
}

fn read_in_background(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // A broken pipe means that the child has ended; the output up to then is complete.
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Reading all of /proc costs more than polling one child.
const POLLS_PER_WATCH: u64 = 25;

fn duration(time: libc::timeval) -> Duration {
    Duration::new(time.tv_sec.max(0) as u64, (time.tv_usec.max(0) as u32) * 1000)
}

/// Returns `None` if the child is still running, which happens only with WNOHANG.
fn wait(pid: i32, options: i32) -> Result<Option<(i32, libc::rusage)>, String> {
    let mut status = 0;
    // SAFETY: `rusage` consists of integers, for which all zeros is a valid value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are to live values of the right types.
    match unsafe { libc::wait4(pid, &mut status, options, &mut usage) } {
        0 => Ok(None),
        done if done == pid => Ok(Some((status, usage))),
        _ => Err(format!("cannot wait for process {pid}: {}", std::io::Error::last_os_error())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measured_child_has_exit_code_output_and_cpu_time() {
        let script = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo out; echo err >&2; exit 3";
        let end = run_measured(Command::new("sh").args(["-c", script]), None).unwrap();
        assert_eq!((end.code, end.stdout.as_str(), end.stderr.as_str()), (Some(3), "out\n", "err\n"));
        assert!(!end.timed_out && end.cpu > Duration::ZERO && end.peak_memory_kib > 100);
    }

    #[test]
    fn the_memory_of_a_watched_child_includes_its_descendants() {
        let alone = run_watched(Command::new("sleep").arg("0.3")).unwrap();
        let family = run_watched(Command::new("sh").args(["-c", "sleep 0.3 & sleep 0.3; wait"])).unwrap();
        assert_eq!((alone.code, family.code), (Some(0), Some(0)));
        let [alone, family] = [alone, family].map(|end| end.peak_together_kib);
        assert!(0 < alone && alone < family, "{alone} KiB alone, {family} KiB together");
    }

    #[test]
    fn a_child_over_its_limit_is_killed_with_its_descendants() {
        let start = Instant::now();
        let limit = Some(Duration::from_millis(50));
        let end = run_measured(Command::new("sh").args(["-c", "sleep 30; echo no"]), limit).unwrap();
        assert!(end.timed_out && end.code.is_none() && end.stdout.is_empty());
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}
