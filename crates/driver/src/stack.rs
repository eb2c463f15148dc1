//! Room for deep recursion: clang's parser and our lowering walk the source as deep as it nests.

/// Address space only; what is not used costs nothing.
const STACK_BYTES: usize = 256 << 20;

/// Runs `f` on a thread with a large stack.
pub fn with_room<T: Send>(f: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, f);
        let thread = thread.expect("a thread with a 256 MB stack can be started");
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
