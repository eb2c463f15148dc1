//! A panic is a bug of gainsay, but it costs only the function in which it happens.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `f`; a panic becomes its message. Everything that `f` was changing must be dropped with it.
pub fn guard<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|panic| message(&*panic))
}

fn message(panic: &(dyn Any + Send)) -> String {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (_, Some(text)) => text.clone(),
        _ => "a panic without a message".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_its_message() {
        assert_eq!(guard(|| 7), Ok(7));
        assert_eq!(guard(|| panic!("plain")), Err::<(), _>("plain".into()));
        assert_eq!(guard(|| panic!("with {}", 1)), Err::<(), _>("with 1".into()));
    }
}
