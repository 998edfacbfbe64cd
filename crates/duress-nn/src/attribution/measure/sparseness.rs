//! How few places carry a map.

use duress_stats::UndefinedReason;

use super::magnitudes;

/// Sparseness (Chalasani et al., 2020): the Gini index of a map's absolute values, from 0 where all
/// are equal to 1 − 1/n where only one is not zero.
pub fn sparseness(map: &[f32]) -> Result<f64, UndefinedReason> {
    Ok(gini(magnitudes(map)?))
}

/// The Gini index of some values at or above 0.
pub(super) fn gini(mut sorted: Vec<f64>) -> f64 {
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let weighed = |(at, value): (usize, &f64)| (2.0 * (at as f64 + 1.0) - n - 1.0) * value;
    let sum: f64 = sorted.iter().sum();
    sorted.iter().enumerate().map(weighed).sum::<f64>() / (n * sum)
}
