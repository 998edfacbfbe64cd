//! Work on several threads whose answer does not depend on their number.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Below this many elements a second thread costs more than it saves.
pub(crate) const WORTH_A_THREAD: usize = 1 << 15;

/// All cores, for callers that ask for no particular number.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// `of(i)` for every `i` below `count`, in order, a stretch of them on each core.
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
    let mut all = vec![T::default(); count];
    let length = count.div_ceil(cores());
    let fill = |(at, stretch): (usize, &mut [T])| {
        stretch
            .iter_mut()
            .zip(at * length..)
            .for_each(|(slot, i)| *slot = of(i));
    };
    std::thread::scope(|scope| {
        for stretch in all.chunks_mut(length).enumerate() {
            scope.spawn(|| fill(stretch));
        }
    });
    all
}

/// `of` for every item of a list, in order, one after the other on every core.
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
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    if size < WORTH_A_THREAD {
        return (first(), second());
    }
    std::thread::scope(|scope| {
        let other = scope.spawn(second);
        let first = first();
        match other.join() {
            Ok(second) => (first, second),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// `work(i)` for every `i` below `count`, in order, on `threads` threads (0: all cores).
///
/// `state` makes a thread's scratch space; what it holds must not influence the values.
pub(crate) fn map_with_state<T: Send, S>(
    count: usize,
    threads: usize,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> T + Sync,
) -> Vec<T> {
    let threads = if threads == 0 { cores() } else { threads }.min(count.max(1));
    if threads == 1 {
        let mut scratch = state();
        return (0..count).map(|i| work(&mut scratch, i)).collect();
    }
    let next = AtomicUsize::new(0);
    let chunk = (count / (threads * 8)).max(1);
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
    let mut parts = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        let mut parts = run();
        for other in others {
            match other.join() {
                Ok(more) => parts.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        parts
    });
    parts.sort_unstable_by_key(|(start, _)| *start);
    parts.into_iter().flat_map(|(_, values)| values).collect()
}
