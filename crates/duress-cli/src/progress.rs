//! The progress bar: cells, rate, time left, failures. Nothing when nobody watches.

use duress::run::{BatchState, Event};
use duress_core::fitting::FitProgress;
use duress_core::number;
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
            Event::Preparing {
                subject,
                progress,
                seconds_left,
                ..
            } => {
                let note = preparing(subject, progress, *seconds_left);
                self.bar.set_message(harmless(&note));
            }
            Event::Prepared { .. } => {
                self.bar.set_message(self.failed());
                self.bar.tick();
            }
            Event::Answered { .. } => self.bar.inc(1),
            Event::Failed { .. } => {
                self.failures
                    .fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                self.bar.set_message(self.failed());
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

impl Progress {
    /// How many cells failed; nothing where none did.
    fn failed(&self) -> String {
        match self.failures.load(std::sync::atomic::Ordering::Relaxed) {
            0 => String::new(),
            failed => format!("{failed} failed"),
        }
    }
}

/// How far a fitting is: `tri-objective: 40 %, loss 0.512, learning rate 0.0021, 3 min left`.
fn preparing(subject: &str, progress: &FitProgress, seconds_left: Option<f64>) -> String {
    let share = 100.0 * progress.done as f64 / progress.of.max(1) as f64;
    let mut said = vec![format!("{subject}: {share:.0} %")];
    let watched = progress.watched.iter();
    said.extend(watched.map(|(name, value)| format!("{name} {}", number::short(*value))));
    said.extend(seconds_left.map(|seconds| format!("{} left", duration(seconds))));
    said.join(", ")
}

/// A length of time in its largest unit.
fn duration(seconds: f64) -> String {
    match seconds {
        ..90.0 => format!("{seconds:.0} s"),
        ..5400.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3600.0),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fitting_tells_its_loss_its_rate_and_the_time_left() {
        let progress = FitProgress {
            done: 40,
            of: 100,
            watched: vec![("loss".into(), 0.5), ("learning rate".into(), 0.002)],
        };
        let note = |left| preparing("tri", &progress, left);
        assert_eq!(note(None), "tri: 40 %, loss 0.500, learning rate 0.0020");
        let ends =
            |left, end: &str| assert!(note(Some(left)).ends_with(end), "{}", note(Some(left)));
        ends(7.4, ", 7 s left");
        ends(180.0, ", 3 min left");
        ends(9000.0, ", 2.5 h left");
    }
}
