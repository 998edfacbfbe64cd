//! Readers of others that meet damage with a panic: it is caught, and told as damage.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// Whether this thread reads a file that may be damaged.
    static READING: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic on this thread only says that a file is damaged: it is caught and told as that,
/// and a panic hook need not speak of a bug.
pub fn is_reading_a_file() -> bool {
    READING.get()
}

/// What `read` gives; `None` when it panicked over the file. Nothing it was working on may be used
/// afterwards.
pub fn guarded<T>(read: impl FnOnce() -> T) -> Option<T> {
    let before = READING.replace(true);
    let given = catch_unwind(AssertUnwindSafe(read));
    READING.set(before);
    given.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_over_a_file_is_known_as_one_and_ends_there() {
        assert_eq!(guarded(is_reading_a_file), Some(true));
        let nested = guarded(|| (guarded(|| panic!("a lie in a header")), is_reading_a_file()));
        assert_eq!(nested, Some((None::<()>, true)));
        assert!(!is_reading_a_file());
    }
}
