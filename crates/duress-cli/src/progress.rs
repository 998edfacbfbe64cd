//! The progress bar: cells, rate, time left, failures. Nothing when nobody watches.

use duress::run::{BatchState, Event};
use duress_report::counted;
use indicatif::{ProgressBar, ProgressStyle};

use crate::say::{harmless, warn};

/// A bar that listens to a run.
pub(crate) struct Progress {
    bar: ProgressBar,
    failures: std::sync::atomic::AtomicUsize,
}

impl Progress {
    /// A bar on standard error, if that is a terminal.
    pub(crate) fn new() -> Progress {
        let bar = ProgressBar::new(0);
        let style = "{bar:30} {pos}/{len} cells  {per_sec}  {eta} left  {msg}";
        bar.set_style(
            ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        Progress {
            bar,
            failures: 0.into(),
        }
    }

    /// Moves with an event.
    pub(crate) fn hear(&self, event: &Event) {
        match event {
            Event::Started { cells, kept, .. } => {
                self.bar.set_length(*cells as u64);
                self.bar.set_position(*kept as u64);
                self.bar.reset_eta();
            }
            Event::Prepared { .. } => self.bar.tick(),
            Event::Answered { .. } => self.bar.inc(1),
            Event::Failed { .. } => {
                let failed = 1 + self
                    .failures
                    .fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                self.bar.set_message(format!("{failed} failed"));
                self.bar.inc(1);
            }
            Event::Damaged { file, why } => {
                let note = format!("{file}: {why}; it is set aside, and asked again\n");
                self.bar.suspend(|| warn(harmless(&note)));
            }
            Event::LogMended { file, why } => {
                let note = format!("{file}: {why}; what is damaged is set aside and left out\n");
                self.bar.suspend(|| warn(harmless(&note)));
            }
            Event::Batch {
                file,
                state,
                requests,
            } => {
                let note = format!("{file}: {}\n", batch_note(*state, *requests));
                self.bar.suspend(|| warn(harmless(&note)));
            }
            Event::Ended { .. } => self.bar.finish_and_clear(),
            _ => {}
        }
    }
}

/// What is to be done about requests that have no replies yet.
fn batch_note(state: BatchState, requests: usize) -> String {
    let requests = counted(requests, "request");
    match state {
        BatchState::Written => format!(
            "{requests} written, without key and headers; put the output into the same folder, and run again"
        ),
        BatchState::Waiting => {
            format!("{requests} without an output; put it into the same folder, and run again")
        }
        BatchState::Incomplete => format!("{requests} not in its output; written again"),
        BatchState::Expired => format!("{requests} not answered in time; written again"),
        BatchState::Failed => format!("{requests} failed; written again"),
    }
}
