//! A fitting under way: how far it is goes to whoever listens, what is half done to the ledger.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use duress_core::fitting::{FitKeeper, FitProgress};
use duress_core::subject::Failure;

use super::event::Event;
use crate::ledger::Ledger;
use crate::plan::Id;

/// What is half done is kept at most so often, and so rarely that keeping takes a fiftieth of the
/// time.
const OFTEN: Duration = Duration::from_secs(2);
const SHARE: u32 = 50;

/// How often is told how far it is.
const TOLD: Duration = Duration::from_secs(1);

/// Keeps what is half done in the ledger, and leaves on a board how far it is.
pub(super) struct LedgerKeeper {
    ledger: Ledger,
    id: Id,
    pace: Mutex<Pace>,
    board: ProgressBoard,
}

/// When something was last kept, and how long not to keep again.
struct Pace {
    kept: Instant,
    pause: Duration,
}

/// How far a fitting is, as it last said. The thread that fits may outlive a run that is stopped, so
/// it tells nobody itself.
#[derive(Clone, Default)]
pub(super) struct ProgressBoard(Arc<Mutex<Option<FitProgress>>>);

/// Tells how far a fitting is, from its board.
pub(super) struct ProgressTeller {
    subject: String,
    seed: u64,
    board: ProgressBoard,
    begun: Option<(Instant, u64)>,
    told: Instant,
}

impl LedgerKeeper {
    pub(super) fn new(ledger: Ledger, id: Id, board: ProgressBoard) -> LedgerKeeper {
        LedgerKeeper {
            ledger,
            id,
            pace: Mutex::new(Pace {
                kept: Instant::now(),
                pause: OFTEN,
            }),
            board,
        }
    }
}

impl FitKeeper for LedgerKeeper {
    fn half_done(&self) -> Option<Vec<u8>> {
        // One that is damaged is as if it were not there: the fitting begins anew.
        let kept = self.ledger.half_done(self.id).ok()??;
        Some(kept.bytes)
    }

    fn is_due(&self) -> bool {
        let pace = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
        pace.kept.elapsed() >= pace.pause
    }

    fn keep(&self, half_done: &[u8]) -> Result<(), Failure> {
        let begun = Instant::now();
        self.ledger
            .keep_half_done(self.id, half_done)
            .map_err(|error| {
                Failure::unable(format!("what is half done cannot be kept: {error}"))
            })?;
        let mut pace = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
        *pace = Pace {
            kept: Instant::now(),
            pause: OFTEN.max(begun.elapsed() * SHARE),
        };
        Ok(())
    }

    fn hear(&self, progress: &FitProgress) {
        let mut board = self.board.0.lock().unwrap_or_else(PoisonError::into_inner);
        *board = Some(progress.clone());
    }
}

impl ProgressTeller {
    pub(super) fn new(subject: String, seed: u64, board: ProgressBoard) -> ProgressTeller {
        ProgressTeller {
            subject,
            seed,
            board,
            begun: None,
            told: Instant::now(),
        }
    }

    /// Tells what is on the board, where that is due and there is something new.
    pub(super) fn tell(&mut self, tell: &(dyn Fn(&Event) + Sync)) {
        if self.told.elapsed() < TOLD {
            return;
        }
        let mut board = self.board.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(progress) = board.take() else {
            return;
        };
        drop(board);
        self.told = Instant::now();
        tell(&Event::Preparing {
            subject: self.subject.clone(),
            seed: self.seed,
            seconds_left: self.seconds_left(&progress),
            progress,
        });
    }

    /// As many steps as are left, at the pace since the first that was heard of: what an earlier run
    /// had done took this one no time.
    fn seconds_left(&mut self, progress: &FitProgress) -> Option<f64> {
        let (begun, before) = *self.begun.get_or_insert((Instant::now(), progress.done));
        let done = progress.done.saturating_sub(before);
        let left = progress.of.saturating_sub(progress.done);
        (done > 0).then(|| begun.elapsed().as_secs_f64() * left as f64 / done as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_half_done_comes_back_until_the_whole_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::create(folder.path()).unwrap();
        let id = Id::joined("a preparation", &[]);
        let keeper = LedgerKeeper::new(ledger.clone(), id, ProgressBoard::default());
        assert_eq!(keeper.half_done(), None);
        assert!(!keeper.is_due(), "nothing is due at once");
        keeper.keep(b"half").unwrap();
        keeper.keep(b"more").unwrap();
        assert_eq!(keeper.half_done().as_deref(), Some(&b"more"[..]));
        assert_eq!(ledger.audit().unwrap().whole, 1);
        let other = LedgerKeeper::new(
            ledger.clone(),
            Id::joined("b", &[]),
            ProgressBoard::default(),
        );
        assert_eq!(other.half_done(), None);
        ledger.keep_checkpoint(id, b"whole").unwrap();
        assert_eq!(keeper.half_done(), None);
        assert_eq!(ledger.audit().unwrap().whole, 1);
    }

    #[test]
    fn time_left_is_told_from_the_pace_of_this_run_alone() {
        let mut teller = ProgressTeller::new("one".into(), 1, ProgressBoard::default());
        let at = |done| FitProgress {
            done,
            of: 100,
            watched: Vec::new(),
        };
        assert_eq!(teller.seconds_left(&at(50)), None);
        teller.begun = Some((Instant::now() - Duration::from_secs(10), 50));
        let left = teller.seconds_left(&at(60)).unwrap();
        assert!((left - 40.0).abs() < 1.0, "{left}");
    }
}
