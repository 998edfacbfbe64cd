//! Order and ranks of large samples: a radix sort on the bits of the numbers, and what follows from it.

use crate::parallel::{WORTH_A_THREAD, both};

/// Below this length the standard sort wins.
const RADIX_FROM: usize = 2048;
const DIGIT: u32 = 11;
const BUCKETS: usize = 1 << DIGIT;
const PASSES: usize = 6;

/// The bits of a finite number, arranged so that integers order as the numbers do. Both zeros are one.
pub(crate) fn key(value: f64) -> u64 {
    let bits = (value + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// Something sorted by 64 bits.
pub(crate) trait Keyed: Copy + Default + Send {
    fn key(&self) -> u64;
}

impl Keyed for u64 {
    fn key(&self) -> u64 {
        *self
    }
}

/// A value's bits and where it stood.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Entry {
    pub(crate) key: u64,
    pub(crate) index: u32,
}

impl Keyed for Entry {
    fn key(&self) -> u64 {
        self.key
    }
}

/// Entries in ascending order; equal values keep the order in which they stood.
pub(crate) fn sorted(values: &[f64]) -> Vec<Entry> {
    let entry = |(index, &value): (usize, &f64)| Entry { key: key(value), index: index as u32 };
    let mut entries: Vec<Entry> = values.iter().enumerate().map(entry).collect();
    sort(&mut entries);
    entries
}

/// Sorts by key, stably, on two threads when large.
pub(crate) fn sort<T: Keyed>(items: &mut Vec<T>) {
    if items.len() < 2 * WORTH_A_THREAD {
        return sort_alone(items);
    }
    let mut right = items.split_off(items.len() / 2);
    both(usize::MAX, || sort_alone(items), || sort_alone(&mut right));
    *items = merged(items, &right);
}

/// Merges two sorted runs without branches on the data.
fn merged<T: Keyed>(left: &[T], right: &[T]) -> Vec<T> {
    let mut out = Vec::with_capacity(left.len() + right.len());
    let (mut i, mut j) = (0, 0);
    while i < left.len() && j < right.len() {
        let take_right = right[j].key() < left[i].key();
        out.push(if take_right { right[j] } else { left[i] });
        j += usize::from(take_right);
        i += usize::from(!take_right);
    }
    out.extend_from_slice(&left[i..]);
    out.extend_from_slice(&right[j..]);
    out
}

/// Sorts by key, stably, on this thread: least significant digit first, passes that move nothing skipped.
pub(crate) fn sort_alone<T: Keyed>(items: &mut Vec<T>) {
    if items.len() < RADIX_FROM {
        items.sort_by_key(Keyed::key);
        return;
    }
    let mut counts = vec![[0_u32; BUCKETS]; PASSES];
    for item in items.iter() {
        let key = item.key();
        for (pass, count) in counts.iter_mut().enumerate() {
            count[digit(key, pass)] += 1;
        }
    }
    let mut other = vec![T::default(); items.len()];
    for (pass, count) in counts.iter_mut().enumerate() {
        if count[digit(items[0].key(), pass)] as usize == items.len() {
            continue;
        }
        let mut start = 0;
        for c in count.iter_mut() {
            start += std::mem::replace(c, start);
        }
        for item in items.iter() {
            let place = &mut count[digit(item.key(), pass)];
            other[*place as usize] = *item;
            *place += 1;
        }
        std::mem::swap(items, &mut other);
    }
}

fn digit(key: u64, pass: usize) -> usize {
    (key >> (pass as u32 * DIGIT)) as usize & (BUCKETS - 1)
}

/// Ranks of a sample with what ties do to the formulas.
#[derive(Debug, Clone)]
pub(crate) struct Ranks {
    /// Twice the midrank of each value, in the order given, so that it is an integer.
    pub(crate) doubled: Vec<u64>,
    /// Sizes of the groups of equal values, in ascending order of value.
    pub(crate) groups: Vec<u32>,
}

impl Ranks {
    pub(crate) fn of(values: &[f64]) -> Self {
        let entries = sorted(values);
        let mut doubled = vec![0; values.len()];
        let mut groups = Vec::new();
        let mut below = 0_u64;
        for group in runs(&entries) {
            let size = group.len() as u64;
            for entry in group {
                doubled[entry.index as usize] = 2 * below + size + 1;
            }
            below += size;
            groups.push(size as u32);
        }
        Self { doubled, groups }
    }
}

/// Runs of equal keys in a sorted slice.
pub(crate) fn runs<T: Keyed>(sorted: &[T]) -> impl Iterator<Item = &[T]> {
    sorted.chunk_by(|a, b| a.key() == b.key())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    #[test]
    fn keys_order_as_numbers_do() {
        let ascending = [-1e300, -1.0, -1e-300, 0.0, 1e-300, 1.0, 1e300];
        assert!(ascending.windows(2).all(|w| key(w[0]) < key(w[1])));
        assert_eq!(key(-0.0), key(0.0));
    }

    #[test]
    fn large_sorts_are_stable_and_sorted() {
        for n in [10, 3000, 80_001] {
            let mut stream = Stream::new(1, n as u64);
            let values: Vec<f64> = (0..n).map(|_| libm::floor(stream.unit() * 5000.0) - 2500.0).collect();
            let entries = sorted(&values);
            assert_eq!(entries.len(), n);
            assert!(entries.windows(2).all(|w| (w[0].key, w[0].index) < (w[1].key, w[1].index)), "{n}");
        }
    }

    #[test]
    fn ranks_of_ties_are_their_mean() {
        let ranks = Ranks::of(&[3.0, 1.0, 3.0, 2.0]);
        assert_eq!(ranks.doubled, [7, 2, 7, 4]);
        assert_eq!(ranks.groups, [1, 1, 2]);
    }
}
