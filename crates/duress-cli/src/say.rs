//! Writing to the terminal: a reader that has gone away is no error.

use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use duress_core::steering::steers;

/// Whether something that should have been said was lost.
static LOST: AtomicBool = AtomicBool::new(false);

/// Writes text as it is.
pub(crate) fn say(text: impl AsRef<str>) {
    let mut out = io::stdout().lock();
    match out
        .write_all(text.as_ref().as_bytes())
        .and_then(|()| out.flush())
    {
        // A closed pipe (`duress list | head`) means nobody wants to read on.
        Err(why) if why.kind() != ErrorKind::BrokenPipe && !LOST.swap(true, Ordering::Relaxed) => {
            warn(format!(
                "duress: standard output cannot be written: {why}\n"
            ));
        }
        _ => {}
    }
}

/// Whether something that should have been said was lost, so that a script does not take half a
/// table for a whole one.
pub(crate) fn lost() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// Writes text to standard error as it is.
pub(crate) fn warn(text: impl AsRef<str>) {
    let _ = io::stderr().lock().write_all(text.as_ref().as_bytes());
}

/// Whether colours are wanted on a stream: a terminal, and no NO_COLOR.
pub(crate) fn colour(stream: &impl io::IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Text from elsewhere with characters that steer made visible, so that it cannot steer the terminal.
pub(crate) fn harmless(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' | '\t' => c.to_string(),
        c if steers(c) => c.escape_unicode().to_string(),
        c => c.to_string(),
    };
    text.chars().map(shown).collect()
}
