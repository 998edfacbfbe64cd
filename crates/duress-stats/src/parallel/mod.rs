//! Work on several threads whose answer does not depend on their number: as many as the
//! [`Budget`] has free.

mod budget;

use std::sync::atomic::{AtomicUsize, Ordering};

pub use budget::{Budget, Spare};

/// Below this many elements a second thread costs more than it saves.
pub(crate) const WORTH_A_THREAD: usize = 1 << 15;

/// `of(i)` for every `i` below `count`, in order, a stretch of them on each thread.
///
/// ```
/// assert_eq!(duress_stats::parallel::map_indices(3, |i| 2 * i), [0, 2, 4]);
/// ```
pub fn map_indices<T: Send + Clone + Default>(
    count: usize,
    of: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    if count < WORTH_A_THREAD {
        return (0..count).map(of).collect();
    }
    let spare = Budget::current().spare(count / WORTH_A_THREAD);
    if spare.threads() == 0 {
        return (0..count).map(of).collect();
    }
    let length = count.div_ceil(1 + spare.threads());
    let mut all = vec![T::default(); count];
    let fill = |(at, stretch): (usize, &mut [T])| {
        stretch
            .iter_mut()
            .zip(at * length..)
            .for_each(|(slot, i)| *slot = of(i));
    };
    let fill = &fill;
    let mut stretches = all.chunks_mut(length).enumerate();
    let mine = stretches.next();
    std::thread::scope(|scope| {
        for (stretch, spare) in stretches.zip(spare.each()) {
            scope.spawn(move || spare.work(|| fill(stretch)));
        }
        mine.map(fill);
    });
    all
}

/// `of` for every item of a list, in order; whichever thread is free takes the next.
///
/// ```
/// assert_eq!(duress_stats::parallel::map_list(&[1, 2], |x| x + 1), [2, 3]);
/// ```
pub fn map_list<T: Sync, R: Send>(list: &[T], of: impl Fn(&T) -> R + Sync) -> Vec<R> {
    map_with_state(list.len(), 0, || (), |(), i| of(&list[i]))
}

/// Runs both, the second on another thread where that pays.
pub(crate) fn run_both<A: Send, B: Send>(
    size: usize,
    first: impl FnOnce() -> A,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    match size < WORTH_A_THREAD {
        true => (first(), second()),
        false => join(first, second),
    }
}

/// Runs both, the second on another thread if there is one.
///
/// ```
/// assert_eq!(duress_stats::parallel::join(|| 1, || "two"), (1, "two"));
/// ```
pub fn join<A, B: Send>(first: impl FnOnce() -> A, second: impl FnOnce() -> B + Send) -> (A, B) {
    let spare = Budget::current().spare(1);
    if spare.threads() == 0 {
        return (first(), second());
    }
    std::thread::scope(|scope| {
        let other = scope.spawn(|| spare.work(second));
        let first = first();
        match other.join() {
            Ok(second) => (first, second),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// The same work on this thread and on those that are spare, at most `most` together; what each of
/// them has to show for it. Whoever joins in has to find out what is left to do.
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// let next = AtomicUsize::new(0);
/// let found: Vec<usize> = duress_stats::parallel::crew(4, || {
///     std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)).filter(|i| *i < 10)).sum()
/// });
/// assert_eq!(found.into_iter().sum::<usize>(), 45);
/// ```
pub fn crew<T: Send>(most: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
    let spare = Budget::current().spare(most.saturating_sub(1));
    let work = &work;
    std::thread::scope(|scope| {
        let spawn = |spare: Spare| scope.spawn(move || spare.work(work));
        let others: Vec<_> = spare.each().into_iter().map(spawn).collect();
        let mut shown = vec![work()];
        for other in others {
            match other.join() {
                Ok(more) => shown.push(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        shown
    })
}

/// `work(i)` for every `i` below `count`, in order, on `threads` threads (0: those the budget has).
///
/// `state` makes a thread's scratch space; what it holds must not influence the values.
pub(crate) fn map_with_state<T: Send, S>(
    count: usize,
    threads: usize,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> T + Sync,
) -> Vec<T> {
    if threads > 0 {
        // Who names a number takes it out of no budget.
        return Budget::new(threads).enter(|| map_with_state(count, 0, state, work));
    }
    let next = AtomicUsize::new(0);
    let chunk = (count / (Budget::current().threads() * 8)).max(1);
    let run = || {
        let mut scratch = state();
        let mut done = Vec::new();
        loop {
            let start = next.fetch_add(chunk, Ordering::Relaxed);
            if start >= count {
                return done;
            }
            let end = (start + chunk).min(count);
            done.push((
                start,
                (start..end)
                    .map(|i| work(&mut scratch, i))
                    .collect::<Vec<T>>(),
            ));
        }
    };
    let mut parts: Vec<(usize, Vec<T>)> = crew(count, run).into_iter().flatten().collect();
    parts.sort_unstable_by_key(|(start, _)| *start);
    parts.into_iter().flat_map(|(_, values)| values).collect()
}
