//! How much of a mask a map's highest places cover.

use duress_stats::UndefinedReason;

use super::top_places::top_shares;
use super::{check_mask, check_pointing};

/// The overlap of a mask with as many of the map's highest places as the mask has: places in both, by
/// places in either (intersection over union).
pub fn mask_overlap(map: &[f32], mask: &[bool]) -> Result<f64, UndefinedReason> {
    check_mask(map, mask)?;
    check_pointing(map, "the values of the map")?;
    let marked = mask.iter().filter(|marked| **marked).count();
    let shares = top_shares(map, marked);
    let both: f64 = shares
        .iter()
        .zip(mask)
        .filter(|(_, marked)| **marked)
        .map(|(share, _)| share)
        .sum();
    Ok(both / (2.0 * marked as f64 - both))
}
