//! What a process last said on its standard error: the end of it, however much there was, and no
//! secret in it.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::secrets::InheritedSecrets;

/// Bytes that are shown; twice as many are kept, so that a secret at the cut is still known by its
/// beginning.
const SHOWN: usize = 2048;
const KEPT: usize = 2 * SHOWN;

/// The last words of a process.
pub struct LastWords {
    shared: Arc<(Mutex<SaidLines>, Condvar)>,
}

#[derive(Default)]
struct SaidLines {
    tail: VecDeque<u8>,
    cut: bool,
    ended: bool,
}

impl LastWords {
    /// Listens from now on, on a thread of its own.
    pub fn listen(mut from: impl Read + Send + 'static) -> std::io::Result<LastWords> {
        let shared: Arc<(Mutex<SaidLines>, Condvar)> = Arc::default();
        let heard = Arc::clone(&shared);
        thread::Builder::new()
            .name("standard error of a process".into())
            .spawn(move || {
                let mut piece = [0; 8192];
                while let Ok(read @ 1..) = from.read(&mut piece) {
                    heard
                        .0
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .add(&piece[..read]);
                }
                heard.0.lock().unwrap_or_else(PoisonError::into_inner).ended = true;
                heard.1.notify_all();
            })?;
        Ok(LastWords { shared })
    }

    /// The end of what was said, without secrets; waits at most `patience` for the process to have
    /// said all.
    pub fn so_far(&self, patience: Duration, secrets: &InheritedSecrets) -> Option<String> {
        let said = self.shared.0.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self
            .shared
            .1
            .wait_timeout_while(said, patience, |said| !said.ended);
        let (said, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = said.tail.iter().copied().collect();
        let text = secrets.strike(&String::from_utf8_lossy(&bytes));
        shorten(text.trim(), said.cut)
    }
}

impl SaidLines {
    fn add(&mut self, bytes: &[u8]) {
        self.tail.extend(bytes);
        let over = self.tail.len().saturating_sub(KEPT);
        self.cut |= over > 0;
        self.tail.drain(..over);
    }
}

fn shorten(text: &str, cut: bool) -> Option<String> {
    let mut from = text.len().saturating_sub(SHOWN);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let mark = if cut || from > 0 { "…" } else { "" };
    (!text.is_empty()).then(|| format!("{mark}{}", &text[from..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_cut_to_its_end() {
        let words = LastWords::listen(
            std::io::repeat(b'x')
                .take(10_000_000)
                .chain(&b"the end"[..]),
        )
        .unwrap();
        let said = words
            .so_far(Duration::from_secs(60), &InheritedSecrets::default())
            .unwrap();
        assert!(
            said.starts_with('…') && said.ends_with("xthe end") && said.len() < SHOWN + 8,
            "{said}"
        );
    }
}
