//! Order and ranks of large samples: a radix sort on the bits of the numbers, and what follows from
//! it.
//!
//! Only the 32 bits below the highest one in which the values differ are sorted by radix: the first
//! byte splits the items into parts that fit a core's cache, the other three are sorted there. The
//! few runs that still agree in all 32 bits are finished by the standard sort.

use crate::parallel::{map_indices, run_both};

pub(crate) const BUCKETS: usize = 256;
/// Below this length the standard sort wins.
const SMALL: usize = 192;
/// Below this length items fit the cache without being split first.
const SPLIT_FROM: usize = 1 << 15;

/// The largest sample that is ranked: a doubled rank must fit 32 bits.
pub(crate) const MOST: usize = (u32::MAX / 2) as usize;

/// The bits of a finite number, arranged so that integers order as the numbers do. Both zeros are
/// one.
pub(crate) fn sort_key(value: f64) -> u64 {
    let bits = (value + 0.0).to_bits();
    if bits >> 63 == 1 {
        !bits
    } else {
        bits | 1 << 63
    }
}

/// Where a value stood, and which group of equal values it belongs to, counted from the smallest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct SortedEntry(u64);

impl SortedEntry {
    fn new(group: u64, index: u64) -> Self {
        Self(group << 32 | index)
    }

    pub(crate) fn index(self) -> usize {
        self.0 as u32 as usize
    }

    pub(crate) fn group(self) -> u32 {
        (self.0 >> 32) as u32
    }
}

/// Entries in ascending order of value; equal values keep the order in which they stood.
pub(crate) fn sorted(values: &[f64]) -> Vec<SortedEntry> {
    assert!(values.len() <= MOST, "checked at the border");
    let (least, shift) = window(values.iter().map(|&v| sort_key(v)));
    // The prefix takes the place of the group until the groups are known.
    let prefixed =
        |index: usize| SortedEntry::new((sort_key(values[index]) - least) >> shift, index as u64).0;
    let mut items = map_indices(values.len(), prefixed);
    radix(&mut items, 0, 32);
    if shift > 0 {
        let full = |item: &u64| sort_key(values[SortedEntry(*item).index()]);
        finish(&mut items, |item| item >> 32, |run| run.sort_by_key(full));
    }
    numbered(items, values, shift > 0)
}

/// Replaces prefixes by the number of the group.
fn numbered(items: Vec<u64>, values: &[f64], look: bool) -> Vec<SortedEntry> {
    let mut group = 0;
    let mut last: Option<u64> = None;
    let same = |a: u64, b: u64| {
        a >> 32 == b >> 32
            && (!look
                || sort_key(values[SortedEntry(a).index()])
                    == sort_key(values[SortedEntry(b).index()]))
    };
    let mut number = |item: u64| {
        group += u64::from(last.is_some_and(|last| !same(last, item)));
        last = Some(item);
        SortedEntry::new(group, u64::from(item as u32))
    };
    items.into_iter().map(&mut number).collect()
}

/// Runs of equal values in sorted entries.
pub(crate) fn tied_runs(sorted: &[SortedEntry]) -> impl DoubleEndedIterator<Item = &[SortedEntry]> {
    sorted.chunk_by(|a, b| a.group() == b.group())
}

/// Sorts integers.
pub(crate) fn sort_keys(keys: &mut [u64]) {
    let (least, shift) = window(keys.iter().copied());
    radix(keys, least, shift);
    if shift > 0 {
        finish(
            keys,
            |key| (key - least) >> shift,
            |run| run.sort_unstable(),
        );
    }
}

/// The least key, and how far a difference from it must move right to fit 32 bits.
pub(crate) fn window(keys: impl Iterator<Item = u64>) -> (u64, u32) {
    let (least, most) = keys.fold((u64::MAX, 0), |(least, most), k| {
        (least.min(k), most.max(k))
    });
    let bits = 64 - most.saturating_sub(least).leading_zeros();
    (least, bits.saturating_sub(32))
}

/// Sorts by the 32 bits of `(item − least) >> shift`, stably where items that agree in them ascend.
fn radix(items: &mut [u64], least: u64, shift: u32) {
    let byte = |item: u64, at: u32| ((item - least) >> shift >> (8 * at)) as u8 as usize;
    let mut scratch = vec![0; items.len()];
    if items.len() < SPLIT_FROM {
        scratch.copy_from_slice(items);
        return sort_bytes(&mut scratch, items, 4, &byte);
    }
    let count = |half: &[u64]| {
        let mut counts = [0; BUCKETS];
        half.iter().for_each(|&item| counts[byte(item, 3)] += 1);
        counts
    };
    let (left, right) = items.split_at(items.len() / 2);
    let (a, b) = run_both(items.len(), || count(left), || count(right));
    let counts = spread((left, right), &mut scratch, (&a, &b), |item| byte(item, 3));
    on_two(&counts, &mut scratch, items, |from, to, counts| {
        sort_buckets(from, to, counts, &byte)
    });
}

/// Puts the items of two halves into buckets, of which each half is known to fill so much, keeping
/// their order; each half on a thread. Says how large the buckets are.
pub(crate) fn spread(
    (left, right): (&[u64], &[u64]),
    target: &mut [u64],
    (in_left, in_right): (&[usize; BUCKETS], &[usize; BUCKETS]),
    bucket: impl Fn(u64) -> usize + Sync,
) -> [usize; BUCKETS] {
    let size = target.len();
    let mut rest = target;
    let mut counts = [0; BUCKETS];
    let mut of_left = Vec::with_capacity(BUCKETS);
    let mut of_right = Vec::with_capacity(BUCKETS);
    for (at, count) in counts.iter_mut().enumerate() {
        let (first, after) = rest.split_at_mut(in_left[at]);
        let (second, after) = after.split_at_mut(in_right[at]);
        of_left.push(first.iter_mut());
        of_right.push(second.iter_mut());
        *count = in_left[at] + in_right[at];
        rest = after;
    }
    let fill = |items: &[u64], mut places: Vec<std::slice::IterMut<'_, u64>>| {
        for &item in items {
            if let Some(place) = places[bucket(item)].next() {
                *place = item;
            }
        }
    };
    run_both(size, || fill(left, of_left), || fill(right, of_right));
    counts
}

/// Gives buckets to two threads, about half of the items to each.
pub(crate) fn on_two<R: Send>(
    counts: &[usize; BUCKETS],
    from: &mut [u64],
    to: &mut [u64],
    work: impl Fn(&mut [u64], &mut [u64], &[usize]) -> R + Sync,
) -> (R, R) {
    let size = from.len();
    let mut middle = 0;
    let mut cut = 0;
    while 2 * middle < size {
        middle += counts[cut];
        cut += 1;
    }
    let ((from_first, from_second), (to_first, to_second)) =
        (from.split_at_mut(middle), to.split_at_mut(middle));
    run_both(
        size,
        || work(from_first, to_first, &counts[..cut]),
        || work(from_second, to_second, &counts[cut..]),
    )
}

/// Sorts each bucket of `from` by its three lower bytes into `to`.
fn sort_buckets(
    from: &mut [u64],
    to: &mut [u64],
    counts: &[usize],
    byte: &impl Fn(u64, u32) -> usize,
) {
    let mut start = 0;
    for count in counts {
        let range = start..start + count;
        sort_bytes(&mut from[range.clone()], &mut to[range], 3, byte);
        start += count;
    }
}

/// Sorts `from` by its `bytes` lower bytes, the least significant first, into `to`; `from` is left
/// in any order.
fn sort_bytes(from: &mut [u64], to: &mut [u64], bytes: u32, byte: &impl Fn(u64, u32) -> usize) {
    if from.len() < SMALL {
        from.sort_unstable();
        to.copy_from_slice(from);
        return;
    }
    let mut counts = [[0; BUCKETS]; 4];
    for &item in from.iter() {
        for (at, count) in (0..bytes).zip(&mut counts) {
            count[byte(item, at)] += 1;
        }
    }
    let mut turned = false;
    for (at, count) in (0..bytes).zip(&counts) {
        let (source, target) = if turned {
            (&*to, &mut *from)
        } else {
            (&*from, &mut *to)
        };
        if count[byte(source[0], at)] == source.len() {
            continue;
        }
        scatter(source, target, count, |item| byte(item, at));
        turned = !turned;
    }
    if !turned {
        to.copy_from_slice(from);
    }
}

/// Puts items into buckets of known sizes, keeping their order within each.
pub(crate) fn scatter(
    source: &[u64],
    target: &mut [u64],
    counts: &[usize; BUCKETS],
    bucket: impl Fn(u64) -> usize,
) {
    let mut next = [0; BUCKETS];
    let mut start = 0;
    for (place, count) in next.iter_mut().zip(counts) {
        *place = start;
        start += count;
    }
    for &item in source {
        let place = &mut next[bucket(item)];
        target[*place] = item;
        *place += 1;
    }
}

/// Sorts each run whose members agree in `prefix`.
fn finish(items: &mut [u64], prefix: impl Fn(u64) -> u64, sort: impl Fn(&mut [u64])) {
    let mut start = 0;
    while start < items.len() {
        let first = prefix(items[start]);
        let mut end = start + 1;
        while end < items.len() && prefix(items[end]) == first {
            end += 1;
        }
        if end - start > 1 {
            sort(&mut items[start..end]);
        }
        start = end;
    }
}

/// Ranks of a sample.
#[derive(Debug, Clone)]
pub(crate) struct Ranks {
    /// Twice the midrank of each value, in the order given, so that it is an integer.
    pub(crate) doubled: Vec<u32>,
}

impl Ranks {
    pub(crate) fn of_values(values: &[f64]) -> Self {
        let entries = sorted(values);
        let mut doubled = vec![0; values.len()];
        let mut below = 0_u32;
        for tie in tied_runs(&entries) {
            let size = tie.len() as u32;
            for entry in tie {
                doubled[entry.index()] = 2 * below + size + 1;
            }
            below += size;
        }
        Self { doubled }
    }

    /// Doubled midranks minus their mean, n + 1.
    pub(crate) fn centred(&self) -> Vec<i64> {
        let centre = self.doubled.len() as i64 + 1;
        self.doubled
            .iter()
            .map(|&r| i64::from(r) - centre)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::RandomStream;

    #[test]
    fn keys_order_as_numbers_do() {
        let ascending = [-1e300, -1.0, -1e-300, 0.0, 1e-300, 1.0, 1e300];
        assert!(
            ascending
                .windows(2)
                .all(|w| sort_key(w[0]) < sort_key(w[1]))
        );
        assert_eq!(sort_key(-0.0), sort_key(0.0));
    }

    fn check_sorted(values: &[f64]) {
        let entries = sorted(values);
        let mut expected: Vec<usize> = (0..values.len()).collect();
        expected.sort_by(|&i, &j| values[i].partial_cmp(&values[j]).unwrap());
        assert_eq!(
            entries.iter().map(|e| e.index()).collect::<Vec<_>>(),
            expected
        );
        for pair in entries.windows(2) {
            let same = values[pair[0].index()] == values[pair[1].index()];
            assert_eq!(pair[0].group() == pair[1].group(), same);
        }
        let mut keys: Vec<u64> = values.iter().map(|&v| sort_key(v)).collect();
        sort_keys(&mut keys);
        assert!(keys.is_sorted());
    }

    #[test]
    fn sorts_are_stable_whatever_the_values() {
        for n in [1, 10, 3000, 70_001] {
            let mut stream = RandomStream::new(1, n);
            let units: Vec<f64> = (0..n).map(|_| stream.next_unit()).collect();
            check_sorted(&units);
            check_sorted(
                &units
                    .iter()
                    .map(|u| libm::floor(u * 50.0) - 25.0)
                    .collect::<Vec<_>>(),
            );
            check_sorted(&units.iter().map(|u| 1e9 + u * 1e-6).collect::<Vec<_>>());
            check_sorted(&vec![2.5; n as usize]);
            // One value far away leaves all others in one run.
            check_sorted(
                &units
                    .iter()
                    .enumerate()
                    .map(|(i, u)| if i == 0 { 1e300 } else { *u })
                    .collect::<Vec<_>>(),
            );
        }
    }

    #[test]
    fn ranks_of_ties_are_their_mean() {
        assert_eq!(
            Ranks::of_values(&[3.0, 1.0, 3.0, 2.0]).doubled,
            [7, 2, 7, 4]
        );
    }
}
