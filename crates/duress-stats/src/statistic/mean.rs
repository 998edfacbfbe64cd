//! The mean of values, and the share of trues.

use super::{NO_WEIGHT, Statistic, total};
use crate::{UndefinedReason, check};

/// The mean of one value per item.
///
/// ```
/// use duress_stats::statistic::{SampleMean, Statistic};
///
/// let mean = SampleMean::new(&[1.0, 2.0, 6.0]).unwrap();
/// assert_eq!(mean.value().unwrap(), 3.0);
/// assert_eq!(mean.at_weights(&[1, 1, 0]).unwrap(), 1.5);
/// ```
#[derive(Debug, Clone)]
pub struct SampleMean {
    values: Vec<f64>,
}

impl SampleMean {
    /// # Errors
    /// No values, or one that is not finite.
    pub fn new(values: &[f64]) -> Result<Self, UndefinedReason> {
        check::at_least("values", values.len(), 1)?;
        check::finite("the values", values)?;
        Ok(Self {
            values: values.to_vec(),
        })
    }
}

impl Statistic for SampleMean {
    fn units(&self) -> usize {
        self.values.len()
    }

    fn at_weights(&self, weights: &[u32]) -> Result<f64, UndefinedReason> {
        let (sum, count) = weighted_sum(&self.values, weights);
        if count == 0 {
            Err(NO_WEIGHT)
        } else {
            Ok(sum / count as f64)
        }
    }

    fn leave_one_out(&self) -> Option<Vec<Result<f64, UndefinedReason>>> {
        let left = self.values.len() as f64 - 1.0;
        let mean = self.value().ok()?;
        let without = |v: &f64| {
            if left == 0.0 {
                Err(NO_WEIGHT)
            } else {
                Ok(mean + (mean - v) / left)
            }
        };
        Some(self.values.iter().map(without).collect())
    }

    fn summands(&self) -> Option<&[f64]> {
        Some(&self.values)
    }

    fn standard_error(&self, weights: &[u32]) -> Option<Result<f64, UndefinedReason>> {
        let n = total(weights) as f64;
        Some(self.at_weights(weights).and_then(|mean| {
            let deviation = |(v, &w): (&f64, &u32)| f64::from(w) * (v - mean) * (v - mean);
            let squares: f64 = self.values.iter().zip(weights).map(deviation).sum();
            match squares > 0.0 {
                true => Ok(libm::sqrt(squares / (n - 1.0) / n)),
                false => Err(UndefinedReason::NoSpread {
                    what: "the resampled values",
                }),
            }
        }))
    }
}

/// `Σ wᵢ vᵢ` and `Σ wᵢ` in eight independent lanes, which is both faster and closer than one
/// running sum.
fn weighted_sum(values: &[f64], weights: &[u32]) -> (f64, u64) {
    let (values, tail_values) = values.as_chunks::<8>();
    let (weights, tail_weights) = weights.as_chunks::<8>();
    let mut sums = [0.0; 8];
    let mut counts = [0_u32; 8];
    let mut count = 0;
    for (v, w) in values.iter().zip(weights) {
        for lane in 0..8 {
            sums[lane] += v[lane] * f64::from(w[lane] as i32);
            counts[lane] = counts[lane].wrapping_add(w[lane]);
        }
    }
    let mut sum = sums.iter().sum::<f64>();
    for (v, &w) in tail_values.iter().zip(tail_weights) {
        sum += v * f64::from(w);
        count += u64::from(w);
    }
    (
        sum,
        count + counts.iter().map(|&c| u64::from(c)).sum::<u64>(),
    )
}

/// The share of items for which something is true.
///
/// ```
/// use duress_stats::statistic::{Proportion, Statistic};
///
/// assert_eq!(Proportion::new(&[true, false]).unwrap().at_weights(&[3, 1]).unwrap(), 0.75);
/// ```
#[derive(Debug, Clone)]
pub struct Proportion {
    holds: Vec<bool>,
}

impl Proportion {
    /// # Errors
    /// No items.
    pub fn new(holds: &[bool]) -> Result<Self, UndefinedReason> {
        check::at_least("items", holds.len(), 1)?;
        Ok(Self {
            holds: holds.to_vec(),
        })
    }
}

impl Statistic for Proportion {
    fn units(&self) -> usize {
        self.holds.len()
    }

    fn at_weights(&self, weights: &[u32]) -> Result<f64, UndefinedReason> {
        let mut hits = 0_u64;
        let mut all = 0_u64;
        for (&holds, &w) in self.holds.iter().zip(weights) {
            hits += u64::from(w) * u64::from(holds);
            all += u64::from(w);
        }
        if all == 0 {
            Err(NO_WEIGHT)
        } else {
            Ok(hits as f64 / all as f64)
        }
    }

    fn leave_one_out(&self) -> Option<Vec<Result<f64, UndefinedReason>>> {
        let left = self.holds.len() - 1;
        let hits = self.holds.iter().filter(|&&h| h).count();
        let without = |&h: &bool| {
            if left == 0 {
                Err(NO_WEIGHT)
            } else {
                Ok((hits - usize::from(h)) as f64 / left as f64)
            }
        };
        Some(self.holds.iter().map(without).collect())
    }

    fn standard_error(&self, weights: &[u32]) -> Option<Result<f64, UndefinedReason>> {
        let n = total(weights) as f64;
        Some(
            self.at_weights(weights)
                .and_then(|share| match share > 0.0 && share < 1.0 {
                    true => Ok(libm::sqrt(share * (1.0 - share) / n)),
                    false => Err(UndefinedReason::NoSpread {
                        what: "the resampled items",
                    }),
                }),
        )
    }
}
