//! Pairs out of order, counted while values are sorted: the inner loop of Kendall's τ.
//!
//! Large samples are split by one byte of their key at a time. For every item the earlier ones with
//! a larger byte are read off a running table, which counts the inversions between buckets; those
//! within a bucket are counted when it is sorted in turn. Small buckets are merged from short runs.

use crate::order::{BUCKETS, on_two, scatter, spread, window};
use crate::parallel::{WORTH_A_THREAD, run_both};

/// Below this length merging wins.
const MERGE_BELOW: usize = 2048;
/// Runs that are sorted by comparing all with all before they are merged.
const RUN: usize = 8;

/// Sorts keys and returns how many pairs stood in falling order; large inputs on two threads.
pub(crate) fn sort_counting(keys: &mut [u64]) -> u64 {
    let (least, shift) = window(keys.iter().copied());
    let byte = |key: u64, at: u32| ((key - least) >> shift >> (8 * at)) as u8 as usize;
    let mut scratch = vec![0; keys.len()];
    if keys.len() < 2 * WORTH_A_THREAD {
        return bytes_counting(keys, &mut scratch, false, 4, &byte);
    }
    let bucket = |key: u64| byte(key, 3);
    let (left, right) = keys.split_at(keys.len() / 2);
    let ((in_left, a), (in_right, b)) = run_both(
        keys.len(),
        || count_across(left, bucket),
        || count_across(right, bucket),
    );
    let counts = spread((left, right), &mut scratch, (&a, &b), bucket);
    let (below, above) = on_two(&counts, &mut scratch, keys, |from, to, counts| {
        buckets_counting(from, to, counts, true, 3, &byte)
    });
    in_left + in_right + across_halves(&a, &b) + below + above
}

/// The pairs of which the one in the left half lies in a larger bucket than the one in the right.
fn across_halves(left: &[usize; BUCKETS], right: &[usize; BUCKETS]) -> u64 {
    let mut larger = 0;
    let mut pairs = 0;
    for (left, right) in left.iter().zip(right).rev() {
        pairs += larger * *right as u64;
        larger += *left as u64;
    }
    pairs
}

/// Sorts each bucket by the bytes below `at`; the sorted keys are in `to` or stay in `from`.
fn buckets_counting(
    from: &mut [u64],
    to: &mut [u64],
    counts: &[usize],
    into: bool,
    at: u32,
    byte: &(impl Fn(u64, u32) -> usize + Sync),
) -> u64 {
    let mut start = 0;
    let mut total = 0;
    for count in counts {
        let range = start..start + count;
        total += bytes_counting(&mut from[range.clone()], &mut to[range], into, at, byte);
        start += count;
    }
    total
}

fn bytes_counting(
    from: &mut [u64],
    to: &mut [u64],
    into: bool,
    at: u32,
    byte: &(impl Fn(u64, u32) -> usize + Sync),
) -> u64 {
    if from.len() < MERGE_BELOW || at == 0 {
        return merge_counting(from, to, into);
    }
    let bucket = |key: u64| byte(key, at - 1);
    let (across, counts) = count_across(from, bucket);
    scatter(from, to, &counts, bucket);
    across + buckets_counting(to, from, &counts, !into, at - 1, byte)
}

/// The pairs whose buckets stand in falling order, and the sizes of the buckets.
fn count_across(keys: &[u64], bucket: impl Fn(u64) -> usize) -> (u64, [usize; BUCKETS]) {
    let mut counts = [0; BUCKETS];
    let mut earlier = Earlier {
        groups: [0; 16],
        within: [[0; 16]; 16],
    };
    let mut total = 0;
    for &key in keys {
        let bucket = bucket(key);
        counts[bucket] += 1;
        total += u64::from(earlier.larger_than(bucket));
        earlier.add(bucket);
    }
    (total, counts)
}

/// How many earlier items lie in a larger bucket, in two steps of four bits so that adding one
/// touches 32 counters.
struct Earlier {
    groups: [u32; 16],
    within: [[u32; 16]; 16],
}

impl Earlier {
    #[inline]
    fn larger_than(&self, bucket: usize) -> u32 {
        self.groups[bucket >> 4 & 15] + self.within[bucket >> 4 & 15][bucket & 15]
    }

    #[inline]
    fn add(&mut self, bucket: usize) {
        let group = bucket >> 4 & 15;
        let member = bucket & 15;
        count_below(&mut self.groups, group);
        count_below(&mut self.within[group], member);
    }
}

/// Row `limit` holds ones below `limit`: added as a whole, which a vector unit does in four steps.
static BELOW: [[u32; 16]; 16] = {
    let mut rows = [[0; 16]; 16];
    let mut limit = 0;
    while limit < 16 {
        let mut i = 0;
        while i < limit {
            rows[limit][i] = 1;
            i += 1;
        }
        limit += 1;
    }
    rows
};

#[inline]
fn count_below(counters: &mut [u32; 16], limit: usize) {
    counters
        .iter_mut()
        .zip(&BELOW[limit])
        .for_each(|(counter, one)| *counter += one);
}

/// Sorts from short runs upwards; the sorted keys are in `to` or stay in `from`.
fn merge_counting(from: &mut [u64], to: &mut [u64], into: bool) -> u64 {
    let mut count: u64 = from.chunks_mut(RUN).map(run_counting).sum();
    let mut width = RUN;
    let mut from = from;
    let mut to = to;
    let mut turned = false;
    while width < from.len() {
        for (source, target) in from.chunks(2 * width).zip(to.chunks_mut(2 * width)) {
            let (left, right) = source.split_at(width.min(source.len()));
            count += merge(left, right, target);
        }
        (from, to) = (to, from);
        turned = !turned;
        width *= 2;
    }
    if turned != into {
        to.copy_from_slice(from);
    }
    count
}

/// Puts each key where as many stand before it as belong there; no branch depends on the data.
fn run_counting(run: &mut [u64]) -> u64 {
    let Ok(keys) = <[u64; RUN]>::try_from(&*run) else {
        return insertion_counting(run);
    };
    let mut places = [0; RUN];
    let mut count = 0;
    for later in 1..RUN {
        for earlier in 0..later {
            let falls = usize::from(keys[earlier] > keys[later]);
            count += falls;
            places[earlier] += falls;
            places[later] += 1 - falls;
        }
    }
    keys.iter()
        .zip(places)
        .for_each(|(key, place)| run[place] = *key);
    count as u64
}

fn insertion_counting(run: &mut [u64]) -> u64 {
    let mut count = 0;
    for i in 1..run.len() {
        let value = run[i];
        let mut j = i;
        while j > 0 && run[j - 1] > value {
            run[j] = run[j - 1];
            j -= 1;
        }
        run[j] = value;
        count += (i - j) as u64;
    }
    count
}

/// Merges two sorted runs and counts, for each of the right, the larger ones of the left; no branch
/// depends on the data.
///
/// Runs of equal length are merged from both ends at once: two chains of dependent steps instead of
/// one.
fn merge(left: &[u64], right: &[u64], out: &mut [u64]) -> u64 {
    if left.len() == right.len() {
        merge_equal(left, right, out)
    } else {
        merge_any(left, right, out)
    }
}

fn merge_equal(left: &[u64], right: &[u64], out: &mut [u64]) -> u64 {
    let n = left.len();
    let (right, (front, back)) = (&right[..n], out.split_at_mut(n));
    let mut i = 0;
    let mut j = 0;
    let mut count = 0;
    // What is not yet taken from behind is left[..=a], right[..=b].
    let mut a = n - 1;
    let mut b = n - 1;
    for (low, high) in front.iter_mut().zip(back.iter_mut().rev()) {
        let right_first = right[j] < left[i];
        *low = right[j].min(left[i]);
        count += (n - i) * usize::from(right_first);
        j += usize::from(right_first);
        i += usize::from(!right_first);

        let left_last = left[a] > right[b];
        *high = left[a].max(right[b]);
        count += (n - 1 - a) * usize::from(!left_last);
        a = a.wrapping_sub(usize::from(left_last));
        b = b.wrapping_sub(usize::from(!left_last));
    }
    count as u64
}

fn merge_any(left: &[u64], right: &[u64], out: &mut [u64]) -> u64 {
    let mut i = 0;
    let mut j = 0;
    let mut count = 0_u64;
    while i < left.len() && j < right.len() {
        let right_first = right[j] < left[i];
        out[i + j] = right[j].min(left[i]);
        count += ((left.len() - i) * usize::from(right_first)) as u64;
        j += usize::from(right_first);
        i += usize::from(!right_first);
    }
    let at = i + j;
    let rest = left.len() - i;
    out[at..at + rest].copy_from_slice(&left[i..]);
    out[at + rest..].copy_from_slice(&right[j..]);
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::RandomStream;

    fn check(mut keys: Vec<u64>) {
        let brute = |n: usize| {
            (0..n)
                .map(|i| keys[i + 1..].iter().filter(|v| **v < keys[i]).count())
                .sum::<usize>()
        };
        // The definition is quadratic; beyond a thousand keys merging from short runs, checked
        // against it, stands in.
        let expected = match keys.len() {
            n if n <= 1000 => brute(n) as u64,
            n => merge_counting(&mut keys.clone(), &mut vec![0; n], false),
        };
        assert_eq!(sort_counting(&mut keys), expected);
        assert!(keys.is_sorted());
    }

    #[test]
    fn inversions_are_those_of_the_definition() {
        for n in [2, 17, 33, 257, 999, 2048, 9001, 70_001] {
            let mut stream = RandomStream::new(3, n);
            check((0..n).map(|_| u64::from(stream.below(50))).collect());
            check((0..n).map(|_| stream.next_word()).collect());
            check((0..n).rev().collect());
            // Keys that differ only below the bits that are split.
            check(
                (0..n)
                    .map(|i| {
                        if i == 0 {
                            u64::MAX
                        } else {
                            stream.next_word() >> 40
                        }
                    })
                    .collect(),
            );
        }
    }
}
