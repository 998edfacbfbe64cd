//! What Quantus 0.6 reads where that is not what the papers say, for whoever has numbers of it to
//! compare with.

use duress_stats::UndefinedReason;

use super::{check_finite, check_mask, check_pointing, magnitudes, sparseness::gini};

/// `quantus.Sparseness`: magnitudes as shares of the largest, with 1e-7 added to each.
pub fn quantus_sparseness(map: &[f32]) -> Result<f64, UndefinedReason> {
    let magnitudes = magnitudes(map)?;
    let largest = magnitudes.iter().copied().fold(0.0, f64::max);
    let shares = magnitudes.iter().map(|value| value / largest + 1e-7);
    Ok(gini(shares.collect()))
}

/// `quantus.RelevanceMassAccuracy`: values that speak against the class are counted with their sign.
pub fn quantus_relevance_mass(map: &[f32], mask: &[bool]) -> Result<f64, UndefinedReason> {
    check_mask(map, mask)?;
    check_finite(map, "the values of the map")?;
    let all: f64 = map.iter().map(|value| f64::from(*value)).sum();
    if all == 0.0 {
        return Err(UndefinedReason::Because(
            "the values of the map add up to 0".into(),
        ));
    }
    let inside = map.iter().zip(mask).filter(|(_, marked)| **marked);
    let inside: f64 = inside.map(|(value, _)| f64::from(*value)).sum();
    Ok(inside / all)
}

/// `quantus.PointingGame`: 1 where any of the highest places lies in the mask, however many there are.
pub fn quantus_pointing_game(map: &[f32], mask: &[bool]) -> Result<f64, UndefinedReason> {
    check_mask(map, mask)?;
    check_pointing(map, "the values of the map")?;
    let top = map.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let hits = map
        .iter()
        .zip(mask)
        .any(|(value, marked)| *value == top && *marked);
    Ok(f64::from(u8::from(hits)))
}

/// The area of `quantus.PixelFlipping`: trapezoids as wide as 1, without the point at which the image
/// is whole. For grey images, whose values Quantus flips as pixels are.
pub fn quantus_pixel_flipping_area(curve: &[f64]) -> f64 {
    let after_the_first = curve.get(1..).unwrap_or_default();
    let trapezoid = |pair: &[f64]| 0.5 * (pair[0] + pair[1]);
    after_the_first.windows(2).map(trapezoid).sum()
}
