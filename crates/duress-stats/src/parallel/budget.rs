//! The budget of threads: how many may be busy at once, with everything that is done under it.
//!
//! A thread works under a budget and is one of its busy threads itself. Whoever could use more asks
//! for the *spare* ones and gets those that are free at that moment, perhaps none; nobody waits for
//! them, so work inside work cannot lock itself up, and the number of busy threads never exceeds
//! the budget however deep it goes.

use std::cell::RefCell;
use std::num::NonZero;
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How many threads may be busy at once.
///
/// ```
/// use duress_stats::parallel::{Budget, map_list};
/// let alone = Budget::new(1).enter(|| map_list(&[1, 2, 3], |x| x * x));
/// let many = Budget::new(8).enter(|| map_list(&[1, 2, 3], |x| x * x));
/// assert_eq!(alone, many);
/// ```
#[derive(Clone, Debug)]
pub struct Budget {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    threads: usize,
    /// Threads that are free. Below zero for a moment when a thread that lent its place comes back
    /// before the borrower is done.
    free: Mutex<isize>,
    given_back: Condvar,
}

thread_local! {
    /// The budget this thread works under.
    static ENTERED: RefCell<Option<Budget>> = const { RefCell::new(None) };
}

/// The budget of threads that work under no other: all cores, shared by all of them.
static ALL_CORES: LazyLock<Budget> =
    LazyLock::new(|| Budget::new(std::thread::available_parallelism().map_or(1, NonZero::get)));

impl Budget {
    /// A budget of some threads, at least one.
    pub fn new(threads: usize) -> Budget {
        let threads = threads.max(1);
        Budget {
            shared: Arc::new(Shared {
                threads,
                free: Mutex::new(threads as isize - 1),
                given_back: Condvar::new(),
            }),
        }
    }

    /// The budget this thread works under: the one entered last, else all cores of the machine.
    pub fn current() -> Budget {
        let entered = ENTERED.with_borrow(Clone::clone);
        entered.unwrap_or_else(|| ALL_CORES.clone())
    }

    /// How many threads may be busy at once, the one that asks included.
    pub fn threads(&self) -> usize {
        self.shared.threads
    }

    /// Does some work under this budget. The calling thread is one of its busy threads: a thread
    /// that was started for the work has a [`Spare`] that says so.
    pub fn enter<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = ENTERED.replace(Some(self.clone()));
        let _back = Back(before);
        work()
    }

    /// Takes up to `most` of the threads that are free now.
    pub fn spare(&self, most: usize) -> Spare {
        let mut free = self.free();
        let taken = most.min(usize::try_from(*free).unwrap_or(0));
        *free -= taken as isize;
        drop(free);
        Spare {
            budget: self.clone(),
            threads: taken,
        }
    }

    /// Waits until some thread is given back, but not for ever.
    pub fn wait(&self, patience: Duration) {
        let free = self.free();
        if *free <= 0 {
            let given_back = self.shared.given_back.wait_timeout(free, patience);
            drop(given_back.unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Lends the place of the calling thread, which only waits while `work` is done by others.
    pub fn lend<T>(&self, work: impl FnOnce() -> T) -> T {
        self.give_back(1);
        let _back = TakeBack(self);
        work()
    }

    fn free(&self) -> MutexGuard<'_, isize> {
        let free = self.shared.free.lock();
        free.unwrap_or_else(PoisonError::into_inner)
    }

    fn give_back(&self, threads: usize) {
        *self.free() += threads as isize;
        self.shared.given_back.notify_all();
    }
}

/// The budget a thread worked under before, put back even when the work panics.
struct Back(Option<Budget>);

impl Drop for Back {
    fn drop(&mut self) {
        ENTERED.set(self.0.take());
    }
}

/// Takes back the place a thread has lent, even when the work panics.
struct TakeBack<'a>(&'a Budget);

impl Drop for TakeBack<'_> {
    fn drop(&mut self) {
        *self.0.free() -= 1;
    }
}

/// Threads of a budget that may be busy until this value is dropped.
#[derive(Debug)]
pub struct Spare {
    budget: Budget,
    threads: usize,
}

impl Spare {
    /// How many there are.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// One for each thread, so that each gives its own back when it is done.
    pub(super) fn each(mut self) -> Vec<Spare> {
        let threads = std::mem::take(&mut self.threads);
        let budget = &self.budget;
        let one = |_| Spare {
            budget: budget.clone(),
            threads: 1,
        };
        (0..threads).map(one).collect()
    }

    /// Does the work of a thread under the budget, and gives the thread back.
    pub(super) fn work<T>(self, work: impl FnOnce() -> T) -> T {
        self.budget.enter(work)
    }
}

impl Drop for Spare {
    fn drop(&mut self) {
        if self.threads > 0 {
            self.budget.give_back(self.threads);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_threads_are_given_than_there_are() {
        let budget = Budget::new(4);
        let two = budget.spare(2);
        let rest = budget.spare(9);
        assert_eq!((two.threads(), rest.threads()), (2, 1));
        assert_eq!(budget.spare(1).threads(), 0);
        drop(two);
        assert_eq!(budget.spare(9).threads(), 2);
    }

    #[test]
    fn a_budget_of_one_has_nothing_to_spare() {
        assert_eq!(Budget::new(1).spare(1).threads(), 0);
        assert_eq!(Budget::new(0).threads(), 1);
    }

    #[test]
    fn a_thread_that_waits_lends_its_place() {
        let budget = Budget::new(1);
        assert_eq!(budget.lend(|| budget.spare(2).threads()), 1);
        assert_eq!(budget.spare(1).threads(), 0);
    }

    #[test]
    fn a_budget_is_left_as_it_was_entered() {
        let outer = Budget::new(3);
        outer.enter(|| {
            assert_eq!(Budget::new(2).enter(|| Budget::current().threads()), 2);
            assert_eq!(Budget::current().threads(), 3);
        });
    }
}
