//! The cosine of the angle between two maps.

use duress_stats::UndefinedReason;

use super::check_pair;

/// The cosine of the angle between two maps, taken as they are: 1 where one is a positive multiple of
/// the other.
pub fn cosine(map: &[f32], other: &[f32]) -> Result<f64, UndefinedReason> {
    check_pair(map, other)?;
    let product = |a: &[f32], b: &[f32]| -> f64 {
        let both = a.iter().zip(b);
        both.map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    };
    let lengths = product(map, map).sqrt() * product(other, other).sqrt();
    Ok((product(map, other) / lengths).clamp(-1.0, 1.0))
}
