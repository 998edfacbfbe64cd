//! How many requests are in flight: fewer when the server says it is too much, more again while it
//! goes well.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long anybody sleeps at most before looking whether to go on.
const NAP: Duration = Duration::from_millis(50);

/// Within this time one lowering answers all complaints: they are about the same crowd.
const ONE_CROWD: Duration = Duration::from_secs(1);

/// Lets so many through at a time.
pub(crate) struct Pace {
    most: usize,
    state: Mutex<PaceState>,
    changed: Condvar,
}

struct PaceState {
    /// How many may be in flight now; a fraction is on its way to one more.
    limit: f64,
    in_flight: usize,
    /// Nobody goes before this.
    open_from: Instant,
    lowered: Option<Instant>,
}

impl Pace {
    pub(crate) fn new(most: usize) -> Pace {
        let state = PaceState {
            limit: most as f64,
            in_flight: 0,
            open_from: Instant::now(),
            lowered: None,
        };
        Pace {
            most,
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    /// Waits until one more may go; none when it is not to go any more.
    pub(crate) fn enter(&self, given_up: &dyn Fn() -> bool) -> Option<InFlight<'_>> {
        let mut state = self.state();
        loop {
            if given_up() {
                return None;
            }
            let closed = state.open_from.saturating_duration_since(Instant::now());
            if closed.is_zero() && (state.in_flight as f64) < state.limit.floor() {
                state.in_flight += 1;
                return Some(InFlight { pace: self });
            }
            let nap = if closed.is_zero() {
                NAP
            } else {
                closed.min(NAP)
            };
            let waited = self.changed.wait_timeout(state, nap);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The server has too much to do: half as many at a time, and nobody before `wait` is over.
    pub(crate) fn slow_down(&self, wait: Option<Duration>) {
        let mut state = self.state();
        let now = Instant::now();
        if state.lowered.is_none_or(|then| now - then > ONE_CROWD) {
            state.limit = (state.limit / 2.0).floor().max(1.0);
            state.lowered = Some(now);
        }
        if let Some(wait) = wait {
            state.open_from = state.open_from.max(now + wait);
        }
    }

    /// One went well: when as many have as may be in flight, one more may be.
    pub(crate) fn went_well(&self) {
        let mut state = self.state();
        state.limit = (state.limit + 1.0 / state.limit).min(self.most as f64);
    }

    /// How many may be in flight now.
    pub(crate) fn limit(&self) -> usize {
        self.state().limit as usize
    }

    fn state(&self) -> MutexGuard<'_, PaceState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request in flight, until it is dropped.
pub(crate) struct InFlight<'a> {
    pace: &'a Pace,
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.pace.state().in_flight -= 1;
        self.pace.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complaint_halves_what_is_in_flight_and_success_raises_it_again() {
        let pace = Pace::new(8);
        pace.slow_down(None);
        pace.slow_down(None);
        assert_eq!(pace.limit(), 4, "one crowd is answered once");
        (0..4).for_each(|_| pace.went_well());
        assert_eq!(pace.limit(), 4);
        (0..100).for_each(|_| pace.went_well());
        assert_eq!(pace.limit(), 8);
    }

    #[test]
    fn no_more_than_the_limit_are_in_flight() {
        let pace = Pace::new(1);
        let first = pace.enter(&|| false);
        assert!(first.is_some());
        let begun = Instant::now();
        assert!(pace.enter(&|| begun.elapsed() > NAP).is_none());
        drop(first);
        assert!(pace.enter(&|| false).is_some());
    }
}
