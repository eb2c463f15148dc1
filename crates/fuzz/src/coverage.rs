//! LLVM's 8-bit edge counters (SanitizerCoverage), if the crates are compiled with them.
//!
//! Each instrumented object file registers its counters before `main`. Without instrumentation there are none, and no
//! input counts as new.

use std::sync::Mutex;

/// The counters of one object file: their address, and the classes of counts seen.
struct Counters {
    start: usize,
    seen: Vec<u8>,
}

static ALL: Mutex<Vec<Counters>> = Mutex::new(Vec::new());

/// Called by instrumented object files.
#[unsafe(no_mangle)]
extern "C" fn __sanitizer_cov_8bit_counters_init(start: *mut u8, stop: *mut u8) {
    let length = (stop as usize).saturating_sub(start as usize);
    if let Ok(mut all) = ALL.lock()
        && all.iter().all(|known| known.start != start as usize)
    {
        all.push(Counters { start: start as usize, seen: vec![0; length] });
    }
}

/// AFL's classes of counts.
fn class(count: u8) -> u8 {
    match count {
        0 => 0,
        1 => 1,
        2 => 2,
        3 => 4,
        4..=7 => 8,
        8..=15 => 16,
        16..=31 => 32,
        32..=127 => 64,
        _ => 128,
    }
}

/// Was anything counted since the last call that was not seen before? Resets the counters.
pub(crate) fn is_new() -> bool {
    let Ok(mut all) = ALL.lock() else { return false };
    let mut is_new = false;
    for Counters { start, seen } in all.iter_mut() {
        // SAFETY: the object file registered this range, which stays writable. Other threads may count at the same
        // time; a lost count only costs a seed.
        let counters = unsafe { std::slice::from_raw_parts_mut(*start as *mut u8, seen.len()) };
        for (counter, seen) in counters.iter_mut().zip(seen) {
            let class = class(std::mem::take(counter));
            is_new |= class & !*seen != 0;
            *seen |= class;
        }
    }
    is_new
}

/// Number of counters that were ever nonzero, and of all counters.
pub(crate) fn reached() -> (usize, usize) {
    let Ok(all) = ALL.lock() else { return (0, 0) };
    let reached = all.iter().flat_map(|counters| &counters.seen).filter(|seen| **seen != 0).count();
    (reached, all.iter().map(|counters| counters.seen.len()).sum())
}
