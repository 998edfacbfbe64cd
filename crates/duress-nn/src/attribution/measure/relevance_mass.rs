//! How much of what speaks for an answer lies inside a mask.

use duress_stats::UndefinedReason;

use super::{check_finite, check_mask};

/// The share of a map's positive values that lies in the mask (relevance mass accuracy, Arras et al.,
/// 2022). Negative values speak against the class and count neither inside nor outside.
pub fn relevance_mass(map: &[f32], mask: &[bool]) -> Result<f64, UndefinedReason> {
    check_mask(map, mask)?;
    check_finite(map, "the values of the map")?;
    let positive = |value: &f32| f64::from(value.max(0.0));
    let all: f64 = map.iter().map(positive).sum();
    if all == 0.0 {
        return Err(UndefinedReason::Because(
            "the map is positive nowhere".into(),
        ));
    }
    let inside = map.iter().zip(mask).filter(|(_, marked)| **marked);
    Ok(inside.map(|(value, _)| positive(value)).sum::<f64>() / all)
}
