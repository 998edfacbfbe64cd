//! Over how many places a map is spread.

use duress_stats::UndefinedReason;

use super::magnitudes;

/// Complexity (Bhatt et al., 2020): the entropy, in nats, of a map's absolute values as shares of
/// their sum; from 0 for a single place to ln n where all are equal.
pub fn entropy(map: &[f32]) -> Result<f64, UndefinedReason> {
    let magnitudes = magnitudes(map)?;
    let sum: f64 = magnitudes.iter().sum();
    let shares = magnitudes.iter().map(|value| value / sum);
    let bits = shares.filter(|share| *share > 0.0);
    Ok(-bits.map(|share| share * libm::log(share)).sum::<f64>())
}
