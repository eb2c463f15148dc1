//! A small coverage-guided fuzzer for the tests of the other crates. It mutates seeds and passes them to a function,
//! which must not panic, hang or use unbounded memory.
//!
//! As an ordinary test it runs a fixed number of deterministic cases. With `GAINSAY_FUZZ_SECONDS` it runs that long
//! (`cargo xtask fuzz`). If the crates are built with LLVM's coverage counters (`-Cpasses=sancov-module`, which stable
//! compilers accept), inputs that reach new code become seeds.

mod coverage;
mod limits;
mod mutate;

use mutate::Mutator;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Calls `target` with the seeds and with mutations of them.
///
/// # Panics
/// If the target panics, or exceeds the time or memory limit. The input is written to the file named in the message.
pub fn fuzz(name: &str, seeds: Vec<Vec<u8>>, target: impl Fn(&[u8])) {
    assert!(!seeds.is_empty(), "{name}: no seeds");
    let number = |variable: &str| std::env::var(variable).ok().and_then(|text| text.parse::<u64>().ok());
    let seconds = number("GAINSAY_FUZZ_SECONDS");
    let mut mutator = Mutator::new(number("GAINSAY_FUZZ_SEED").unwrap_or(1));
    let (start, memory) = (Instant::now(), peak_memory());
    let watch = Watch::start(name);
    let mut corpus = seeds.clone();
    let mut cases = 0;
    loop {
        let input = match seeds.get(cases as usize) {
            Some(seed) => seed.clone(),
            None => mutator.mutation(&corpus),
        };
        watch.begin(cases, seconds.is_some().then_some(&input));
        let outcome = catch_unwind(AssertUnwindSafe(|| target(&input)));
        watch.end();
        let failure = match outcome {
            Err(_) => Some("panics"),
            Ok(()) if peak_memory().saturating_sub(memory) > limits::MEMORY_KIB => {
                Some("takes too much memory")
            }
            Ok(()) => None,
        };
        if let Some(what) = failure {
            let path = file_of(name);
            let kept =
                std::fs::write(&path, &input).map_or_else(|e| e.to_string(), |()| path.display().to_string());
            panic!("{name} {what} on case {cases}, {} bytes: {kept}", input.len());
        }
        if coverage::is_new() {
            corpus.push(input);
        }
        cases += 1;
        let is_over = match seconds {
            Some(seconds) => start.elapsed().as_secs() >= seconds,
            None => cases >= limits::CASES + seeds.len() as u64,
        };
        if is_over {
            break;
        }
    }
    report(name, cases, seeds.len(), corpus.len(), start.elapsed());
}

/// Shown with `--nocapture`, which `cargo xtask fuzz` passes.
#[expect(clippy::print_stdout, reason = "the test's report")]
fn report(name: &str, cases: u64, seeds: usize, corpus: usize, time: Duration) {
    let (reached, all) = coverage::reached();
    println!(
        "{name}: {cases} cases in {:.0} s, {seeds} seeds, {} inputs that reached new code, {reached} of {all} edges",
        time.as_secs_f64(),
        corpus - seeds
    );
}

/// The files of a folder of this repository with this extension, sorted, as seeds; `folder` is relative to the root.
pub fn files(folder: &str, extension: &str) -> Vec<Vec<u8>> {
    let top = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(top.join(folder))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == extension))
        .collect();
    paths.sort();
    paths.iter().filter_map(|path| std::fs::read(path).ok()).collect()
}

fn file_of(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("gainsay-fuzz-{name}-{}", std::process::id()))
}

/// Unit: KiB; 0 if the system does not report it.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().split(' ').next()?.parse().ok()).unwrap_or(0)
}

/// Aborts the process if a case exceeds the time limit.
struct Watch {
    /// The number of the current case plus one; 0 between cases.
    current: Arc<AtomicU64>,
    path: PathBuf,
}

impl Watch {
    fn start(name: &str) -> Watch {
        let current = Arc::new(AtomicU64::new(0));
        let (watched, owned) = (Arc::downgrade(&current), name.to_owned());
        std::thread::spawn(move || {
            let mut last = (0, Instant::now());
            while let Some(current) = watched.upgrade() {
                let case = current.load(Ordering::Relaxed);
                drop(current);
                if case != last.0 {
                    last = (case, Instant::now());
                } else if case != 0 && last.1.elapsed() > limits::CASE_TIME {
                    give_up(&owned, case - 1);
                }
                std::thread::sleep(Duration::from_millis(100));
            }
        });
        Watch { current, path: file_of(name) }
    }

    /// In long runs the input is saved first, for cases that end the process.
    fn begin(&self, case: u64, input: Option<&Vec<u8>>) {
        if let Some(input) = input {
            let _ = std::fs::write(&self.path, input);
        }
        self.current.store(case + 1, Ordering::Relaxed);
    }

    fn end(&self) {
        self.current.store(0, Ordering::Relaxed);
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

#[expect(clippy::print_stderr, reason = "the process ends here")]
fn give_up(name: &str, case: u64) {
    eprintln!("{name} does not end on case {case}; in long runs the input is in {}", file_of(name).display());
    std::process::abort();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_and_many_other_inputs_are_tried() {
        let seen = std::cell::RefCell::new(std::collections::BTreeSet::new());
        fuzz("seen", vec![b"(a b)".to_vec(), b"".to_vec()], |input| {
            seen.borrow_mut().insert(input.to_vec());
        });
        let seen = seen.into_inner();
        assert!(
            seen.contains(&b"(a b)"[..]) && seen.contains(&b""[..]) && seen.len() > 500,
            "{}",
            seen.len()
        );
    }

    #[test]
    fn a_panic_is_found_and_its_input_is_kept() {
        let target = |input: &[u8]| assert!(!input.starts_with(b"((("));
        let message = catch_unwind(|| fuzz("panics", vec![b"((a) b)".to_vec()], target)).unwrap_err();
        let message = message.downcast_ref::<String>().unwrap();
        let path = file_of("panics");
        assert!(message.contains(path.to_str().unwrap()), "{message}");
        assert!(std::fs::read(&path).unwrap().starts_with(b"((("));
        std::fs::remove_file(path).unwrap();
    }
}
