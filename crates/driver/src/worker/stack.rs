//! A large stack for recursion as deep as the source nests.

use crate::limits::STACK_BYTES;

/// Runs `f` on a thread with a large stack.
pub fn with_large_stack<T: Send>(f: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, f);
        let thread = thread.expect("a thread with a 256 MB stack can be started");
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
