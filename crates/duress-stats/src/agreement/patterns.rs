//! Patterns: units that look alike are drawn alike, so that a resample is a set of counts.

use std::collections::BTreeMap;

use crate::bootstrap::{acceleration, bca_interval, percentile_interval};
use crate::dist::Binomial;
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

    /// One resample of as many units. Drawing units one by one and drawing how many there are of
    /// each pattern is the same law; the second costs as many draws as there are patterns.
    fn resampled(&self, stream: &mut RandomStream) -> Vec<u64> {
        match self.counts.len() * UNITS_OF_A_COUNT < self.of_unit.len() {
            true => self.resampled_counts(stream),
            false => self.resampled_units(stream),
        }
    }

    /// Multinomial counts: of what is left, each pattern takes a binomial part.
    fn resampled_counts(&self, stream: &mut RandomStream) -> Vec<u64> {
        let mut left = self.of_unit.len() as u64;
        let mut units = left;
        let mut draw = |own: &u64| {
            let drawn = Binomial::of_share(left, *own, units).draw(stream);
            units -= own;
            left -= drawn;
            drawn
        };
        self.counts.iter().map(&mut draw).collect()
    }

    fn resampled_units(&self, stream: &mut RandomStream) -> Vec<u64> {
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

/// How many units are drawn in the time that a binomial number takes.
const UNITS_OF_A_COUNT: usize = 32;

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

#[cfg(test)]
mod tests {
    use super::*;

    const RESAMPLES: usize = 20_000;

    /// Mean and covariance of counts of patterns, with as many standard errors as chance may take.
    fn follows_its_law(drawn: impl Fn(&Patterns, &mut RandomStream) -> Vec<u64>) {
        let keys: Vec<usize> = [1, 30, 400, 569]
            .iter()
            .enumerate()
            .flat_map(|(key, count)| std::iter::repeat_n(key, *count))
            .collect();
        let (patterns, _) = Patterns::of_keys(&keys);
        let n = keys.len() as f64;
        let mut stream = RandomStream::new(5, 0);
        let mut products = [[0.0; 4]; 4];
        let mut sums = [0.0; 4];
        for _ in 0..RESAMPLES {
            let counts = drawn(&patterns, &mut stream);
            assert_eq!(counts.iter().sum::<u64>() as f64, n);
            let apart = |i: usize| counts[i] as f64 - patterns.counts[i] as f64;
            for i in 0..4 {
                sums[i] += apart(i);
                for (j, product) in products[i].iter_mut().enumerate() {
                    *product += apart(i) * apart(j);
                }
            }
        }
        let share = |i: usize| patterns.counts[i] as f64 / n;
        let variance = |i: usize| n * share(i) * (1.0 - share(i));
        let draws = RESAMPLES as f64;
        for i in 0..4 {
            let error = libm::sqrt(variance(i) / draws);
            assert!((sums[i] / draws).abs() < 4.0 * error, "mean of {i}");
            for j in 0..4 {
                let wanted = match i == j {
                    true => variance(i),
                    false => -n * share(i) * share(j),
                };
                let error = libm::sqrt(2.0 * variance(i) * variance(j) / draws);
                let got = products[i][j] / draws;
                assert!(
                    (got - wanted).abs() < 5.0 * error,
                    "{i} {j}: {got}, not {wanted}"
                );
            }
        }
    }

    #[test]
    fn counts_are_drawn_as_units_are() {
        follows_its_law(Patterns::resampled_units);
        follows_its_law(Patterns::resampled_counts);
    }
}
