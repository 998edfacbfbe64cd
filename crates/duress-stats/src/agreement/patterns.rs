//! Patterns: units that look alike are drawn alike, so that a resample is a set of counts.

use std::collections::BTreeMap;

use crate::bootstrap::{acceleration, bca_interval, percentile_interval};
use crate::random::RandomStream;
use crate::{Interval, UndefinedReason, check, parallel};

/// Which pattern each unit has.
#[derive(Clone, Debug)]
pub struct Patterns {
    of_unit: Vec<u32>,
    counts: Vec<u64>,
}

impl Patterns {
    /// The patterns of units with these keys, and the key of each pattern.
    ///
    /// ```
    /// use duress_stats::agreement::Patterns;
    /// let (patterns, keys) = Patterns::of_keys(&["b", "a", "b"]);
    /// assert_eq!((patterns.counts(), keys), ([2, 1].as_slice(), vec!["b", "a"]));
    /// ```
    pub fn of_keys<K: Ord + Clone>(keys: &[K]) -> (Patterns, Vec<K>) {
        let mut known: BTreeMap<&K, u32> = BTreeMap::new();
        let mut of_unit = Vec::new();
        let mut counts = Vec::new();
        let mut all = Vec::new();
        for key in keys {
            let next = counts.len() as u32;
            let at = *known.entry(key).or_insert(next);
            if at == next {
                counts.push(0);
                all.push(key.clone());
            }
            counts[at as usize] += 1;
            of_unit.push(at);
        }
        (Patterns { of_unit, counts }, all)
    }

    /// How often each pattern is there.
    #[must_use]
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// One resample of as many units.
    fn resampled(&self, stream: &mut RandomStream) -> Vec<u64> {
        let mut counts = vec![0; self.counts.len()];
        let n = self.of_unit.len();
        stream.draw_below(n as u32, n, |unit| {
            counts[self.of_unit[unit as usize] as usize] += 1;
        });
        counts
    }
}

/// The share of resamples that may be without a value.
const FEW: f64 = 0.05;

/// Resamples that one thread draws at a time.
const BATCH: usize = 250;

/// A bootstrap interval of a statistic of counts: BCa, or percentile where BCa has no answer.
///
/// # Errors
/// Nothing to draw from, more than one in twenty resamples without a value, or a statistic without
/// one.
pub fn pattern_interval(
    patterns: &Patterns,
    statistic: impl Fn(&[u64]) -> Result<f64, UndefinedReason> + Sync,
    resamples: usize,
    level: f64,
    seed: u64,
) -> Result<Interval, UndefinedReason> {
    check::at_least("units", patterns.of_unit.len(), 2)?;
    let estimate = statistic(&patterns.counts)?;
    let batches: Vec<usize> = (0..resamples.div_ceil(BATCH)).collect();
    let drawn = parallel::map_list(&batches, |batch| {
        let mut stream = RandomStream::new(seed, *batch as u64);
        let size = BATCH.min(resamples - batch * BATCH);
        let draw = |_| statistic(&patterns.resampled(&mut stream));
        (0..size).map(draw).collect::<Vec<_>>()
    });
    let mut values = Vec::with_capacity(resamples);
    let mut first = None;
    for drawn in drawn.into_iter().flatten() {
        match drawn {
            Ok(value) => values.push(value),
            Err(why) => first = first.or(Some(why)),
        }
    }
    let undefined = resamples - values.len();
    if let Some(first) = first
        && undefined as f64 > FEW * resamples as f64
    {
        return Err(UndefinedReason::MostlyUndefined {
            undefined,
            resamples,
            first: Box::new(first),
        });
    }
    values.sort_by(f64::total_cmp);
    let skewed = leave_one_out(patterns, &statistic).and_then(|left| acceleration(&[left]));
    let bca = skewed.and_then(|a| bca_interval(estimate, &values, a, level));
    bca.or_else(|_| percentile_interval(&values, level))
}

/// The statistic without each unit: the same for all units of a pattern.
fn leave_one_out(
    patterns: &Patterns,
    statistic: &impl Fn(&[u64]) -> Result<f64, UndefinedReason>,
) -> Result<Vec<f64>, UndefinedReason> {
    let mut left = Vec::with_capacity(patterns.of_unit.len());
    let mut counts = patterns.counts.clone();
    for at in 0..counts.len() {
        counts[at] -= 1;
        let value = statistic(&counts)?;
        counts[at] += 1;
        left.extend(std::iter::repeat_n(value, counts[at] as usize));
    }
    Ok(left)
}
