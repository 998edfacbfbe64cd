//! Keeps a subject's trouble to itself: a crash or a hang becomes a failure with a reason.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use duress_core::subject::{Failure, FailureKind};
use duress_stats::parallel::Budget;
pub use duress_tables::guard::is_reading_a_file;

/// The name of the threads subjects run on; a panic hook can tell them by it.
pub const SUBJECT_THREAD: &str = "subject";

/// How a guarded piece of work ended.
pub(super) enum Ended<T> {
    /// By itself, well or not.
    Done(Result<T, Failure>),
    /// The run was stopped first.
    Stopped,
}

/// What is done when the run is stopped while a subject works.
pub(super) enum OnStop<'a> {
    /// It is left alone.
    Leave,
    /// It is told, by raising this, and waited for: what it has begun is paid for.
    Drain(&'a AtomicBool),
}

/// Runs `work` on a thread of its own, for at most `limit`.
pub(super) fn guarded<T: Send + 'static>(
    limit: Duration,
    on_stop: (&AtomicBool, OnStop<'_>),
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Ended<T> {
    guarded_and_watched(limit, on_stop, || (), work)
}

/// The same; `watch` is called again and again while it is waited for. Safe Rust cannot end a thread: one that
/// hangs is left alone, and ends with the process.
pub(super) fn guarded_and_watched<T: Send + 'static>(
    limit: Duration,
    (stop, on_stop): (&AtomicBool, OnStop<'_>),
    mut watch: impl FnMut(),
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Ended<T> {
    let (send, receive) = channel();
    // The waiting thread has a place in the budget; this one is busy in its stead.
    let budget = Budget::current();
    let spawned = thread::Builder::new()
        .name(SUBJECT_THREAD.into())
        .spawn(move || {
            let result = catch_unwind(AssertUnwindSafe(|| budget.enter(work)))
                .unwrap_or_else(|panic| Err(crashed(&*panic)));
            // Nobody listens any more when the limit has passed.
            let _ = send.send(result);
        });
    if let Err(error) = spawned {
        return Ended::Done(Err(Failure::unable(format!(
            "no thread could be started: {error}"
        ))));
    }
    let started = Instant::now();
    loop {
        match receive
            .recv_timeout(Duration::from_millis(50).min(limit.saturating_sub(started.elapsed())))
        {
            Ok(result) => return Ended::Done(result),
            Err(RecvTimeoutError::Disconnected) => {
                return Ended::Done(Err(Failure::new(
                    FailureKind::Crashed,
                    "its thread ended without a word",
                )));
            }
            Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => match on_stop {
                OnStop::Leave => return Ended::Stopped,
                OnStop::Drain(told) => told.store(true, Ordering::Relaxed),
            },
            Err(RecvTimeoutError::Timeout) if started.elapsed() >= limit => {
                let why = format!("nothing within {} s", limit.as_secs_f64());
                return Ended::Done(Err(Failure::new(FailureKind::TimedOut, why)));
            }
            Err(RecvTimeoutError::Timeout) => watch(),
        }
    }
}

fn crashed(panic: &(dyn std::any::Any + Send)) -> Failure {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_string());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    Failure::new(
        FailureKind::Crashed,
        text.unwrap_or_else(|| "it panicked without a message".into()),
    )
}
