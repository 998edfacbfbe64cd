//! The distance between two maps of length 1.

use duress_stats::UndefinedReason;

use super::check_pair;

/// The Euclidean distance (L2) between two maps, each divided by its own length: from 0 for maps
/// that are positive multiples of each other to 2 for negative ones.
pub fn unit_distance(map: &[f32], other: &[f32]) -> Result<f64, UndefinedReason> {
    check_pair(map, other)?;
    let length = |map: &[f32]| -> f64 {
        let square = |value: &f32| f64::from(*value).powi(2);
        map.iter().map(square).sum::<f64>().sqrt()
    };
    let (length_of_map, length_of_other) = (length(map), length(other));
    let square = |(a, b): (&f32, &f32)| {
        (f64::from(*a) / length_of_map - f64::from(*b) / length_of_other).powi(2)
    };
    Ok(map.iter().zip(other).map(square).sum::<f64>().sqrt())
}
