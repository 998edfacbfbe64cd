//! Places: how many of some numbers are below another, for many others, without sorting those.

use crate::order::{sort_key, sort_keys};

/// Sorted keys with a table by their leading bits, which leads to the few among which another key
/// could be.
pub(crate) struct Places {
    /// With [`SHORT`] more behind them that are above every key.
    keys: Vec<u64>,
    count: usize,
    /// How many keys come before each stretch of keys, and how many there are.
    starts: Vec<u32>,
    least: u64,
    shift: u32,
}

/// Stretches up to this length are counted through, longer ones searched. What follows a stretch is
/// above whatever belongs into it, so that always as many are counted, without a branch on the
/// data.
const SHORT: usize = 4;

impl Places {
    /// At most 2³² finite numbers.
    pub(crate) fn from_numbers(numbers: impl Iterator<Item = f64>) -> Self {
        let mut keys: Vec<u64> = numbers.map(sort_key).collect();
        sort_keys(&mut keys);
        let least = keys.first().copied().unwrap_or(0);
        let most = keys.last().copied().unwrap_or(0);
        // About a stretch per key, as long as the table stays in a cache.
        let count = keys.len();
        let wanted = count.next_power_of_two().ilog2().clamp(1, 18);
        let shift = (64 - (most - least).leading_zeros()).saturating_sub(wanted);
        let stretches = ((most - least) >> shift) as usize + 1;
        let mut starts = vec![0; stretches + 1];
        keys.iter()
            .for_each(|key| starts[((key - least) >> shift) as usize + 1] += 1);
        let mut before = 0;
        for start in &mut starts {
            before += *start;
            *start = before;
        }
        keys.extend([u64::MAX; SHORT]);
        Self {
            keys,
            count,
            starts,
            least,
            shift,
        }
    }

    /// How many are below a number plus how many are not above it: twice what is below, equal ones
    /// counted half.
    pub(crate) fn doubled_below(&self, number: f64) -> u64 {
        let key = sort_key(number);
        let Some(beyond) = key.checked_sub(self.least) else {
            return 0;
        };
        let stretch = (beyond >> self.shift) as usize;
        if stretch + 1 >= self.starts.len() {
            return 2 * self.count as u64;
        }
        let start = self.starts[stretch] as usize;
        let end = self.starts[stretch + 1] as usize;
        let mut below = 0;
        let mut not_above = 0;
        if end - start <= SHORT {
            for other in &self.keys[start..start + SHORT] {
                below += usize::from(*other < key);
                not_above += usize::from(*other <= key);
            }
        } else {
            let keys = &self.keys[start..end];
            below = keys.partition_point(|other| *other < key);
            not_above = below + keys[below..].partition_point(|other| *other <= key);
        }
        (2 * start + below + not_above) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::RandomStream;

    #[test]
    fn places_are_those_of_counting_whatever_the_spread() {
        let mut stream = RandomStream::new(1, 7);
        let mut draw = |n: usize, of: fn(f64) -> f64| -> Vec<f64> {
            (0..n).map(|_| of(stream.next_unit())).collect()
        };
        let check = |numbers: &[f64], others: &[f64]| {
            let places = Places::from_numbers(numbers.iter().copied());
            for other in others {
                let below = numbers.iter().filter(|x| *x < other).count();
                let equal = numbers.iter().filter(|x| *x == other).count();
                assert_eq!(
                    places.doubled_below(*other),
                    (2 * below + equal) as u64,
                    "{other}"
                );
            }
        };
        let fine = draw(300, |u| u);
        let coarse = draw(300, |u| libm::floor(u * 7.0) - 3.0);
        let far = draw(300, |u| if u < 0.02 { -1e300 } else { 1.0 + u * 1e-12 });
        for numbers in [&fine, &coarse, &far, &vec![0.0, -0.0], &vec![]] {
            for others in [&fine, &coarse, &far, &vec![0.0, -0.0, f64::MAX, f64::MIN]] {
                check(numbers, others);
            }
        }
    }
}
