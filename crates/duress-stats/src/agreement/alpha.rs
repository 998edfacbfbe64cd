//! Krippendorff's α: any number of raters, any gaps.

use super::Patterns;
use crate::{UndefinedReason, check};

/// How far apart two values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlphaDistance {
    /// Equal or not.
    Nominal,
    /// By how many ratings lie between.
    Ordinal,
    /// By the square of the difference.
    Interval,
}

/// Units with the values that raters gave them; those with fewer than two say nothing.
#[derive(Clone, Debug)]
pub struct RatedUnits {
    /// The values there are, rising.
    values: Vec<f64>,
    /// For each pattern, how often each value was said.
    said: Vec<Vec<u64>>,
    patterns: Patterns,
}

impl RatedUnits {
    /// One list of values per unit, of whoever rated it.
    ///
    /// # Errors
    /// A value that is no number, or no unit with two.
    pub fn new(units: &[Vec<f64>]) -> Result<RatedUnits, UndefinedReason> {
        let pairable: Vec<&Vec<f64>> = units.iter().filter(|unit| unit.len() > 1).collect();
        check::at_least("units that two raters rated", pairable.len(), 1)?;
        let mut values: Vec<f64> = pairable
            .iter()
            .flat_map(|unit| unit.iter().copied())
            .collect();
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            return Err(UndefinedReason::NotFinite {
                what: "the ratings",
                at,
            });
        }
        values.sort_by(f64::total_cmp);
        values.dedup();
        let counted = |unit: &&Vec<f64>| {
            let mut said = vec![0_u64; values.len()];
            for value in *unit {
                said[values.partition_point(|known| known < value)] += 1;
            }
            said
        };
        let said: Vec<Vec<u64>> = pairable.iter().map(counted).collect();
        let (patterns, said) = Patterns::of_keys(&said);
        Ok(RatedUnits {
            values,
            said,
            patterns,
        })
    }

    /// Which units look alike, for resamples.
    #[must_use]
    pub fn patterns(&self) -> &Patterns {
        &self.patterns
    }
}

/// Krippendorff's α, `1 − observed / expected` disagreement; `counts` says how often each pattern
/// of the units counts.
///
/// ```
/// use duress_stats::agreement::{AlphaDistance, RatedUnits, krippendorff_alpha};
/// let units = RatedUnits::new(&[vec![1.0, 1.0], vec![2.0, 2.0], vec![1.0, 2.0], vec![1.0]]).unwrap();
/// let alpha = krippendorff_alpha(&units, units.patterns().counts(), AlphaDistance::Nominal).unwrap();
/// assert!((alpha - 4.0 / 9.0).abs() < 1e-12);
/// ```
///
/// # Errors
/// Every rating is the same.
///
/// K. Krippendorff, Content Analysis, 2004, ch. 11.
pub fn krippendorff_alpha(
    units: &RatedUnits,
    counts: &[u64],
    distance: AlphaDistance,
) -> Result<f64, UndefinedReason> {
    let k = units.values.len();
    let mut totals = vec![0.0; k];
    for (said, count) in units.said.iter().zip(counts) {
        for (total, said) in totals.iter_mut().zip(said) {
            *total += (said * count) as f64;
        }
    }
    let distances = distances(&units.values, &totals, distance);
    let mut observed = 0.0;
    let mut expected = 0.0;
    for i in 0..k {
        for j in 0..k {
            expected += totals[i] * totals[j] * distances[i * k + j];
        }
    }
    for (said, count) in units
        .said
        .iter()
        .zip(counts)
        .filter(|(_, count)| **count > 0)
    {
        let raters = said.iter().sum::<u64>() as f64;
        let apart = |(i, j): (usize, usize)| said[i] as f64 * said[j] as f64 * distances[i * k + j];
        let there: Vec<usize> = (0..k).filter(|i| said[*i] > 0).collect();
        let pairs = there.iter().flat_map(|i| there.iter().map(|j| (*i, *j)));
        observed += *count as f64 * pairs.map(apart).sum::<f64>() / (raters - 1.0);
    }
    let all: f64 = totals.iter().sum();
    match expected > 0.0 {
        true => Ok(1.0 - (all - 1.0) * observed / expected),
        false => Err(UndefinedReason::NoSpread {
            what: "the ratings",
        }),
    }
}

/// The squared distances of all pairs of values.
fn distances(values: &[f64], totals: &[f64], distance: AlphaDistance) -> Vec<f64> {
    let k = values.len();
    let between = |i: usize, j: usize| match distance {
        AlphaDistance::Nominal => f64::from(u8::from(i != j)),
        AlphaDistance::Interval => (values[i] - values[j]) * (values[i] - values[j]),
        AlphaDistance::Ordinal => {
            let low = i.min(j);
            let high = i.max(j);
            let sum: f64 = totals[low..=high].iter().sum();
            let apart = sum - (totals[low] + totals[high]) / 2.0;
            match i == j {
                true => 0.0,
                false => apart * apart,
            }
        }
    };
    (0..k * k).map(|cell| between(cell / k, cell % k)).collect()
}
