//! What is read from maps alone, without asking anybody.
//!
//! Stability compares two maps of one image: [`ssim`], [`spearman`], [`cosine`], [`unit_distance`],
//! [`top_k_intersection`]. Localisation compares a map with a mask: [`pointing_game`],
//! [`mask_overlap`], [`relevance_mass`]. Complexity looks at one map: [`sparseness`], [`entropy`].
//!
//! A map whose values are all equal points nowhere: everything that compares it is undefined, with
//! that reason, so that all measures of stability count the same maps. Where places are taken by
//! their order, places with equal values share what is left to take between them; so no measure
//! depends on where in the image equal values lie.

mod cosine;
mod entropy;
mod mask_overlap;
mod pointing_game;
mod quantus;
mod relevance_mass;
mod sparseness;
mod spearman;
mod ssim;
mod top_places;
mod unit_distance;

pub use cosine::cosine;
pub use entropy::entropy;
pub use mask_overlap::mask_overlap;
pub use pointing_game::pointing_game;
pub use quantus::{
    quantus_pixel_flipping_area, quantus_pointing_game, quantus_relevance_mass, quantus_sparseness,
};
pub use relevance_mass::relevance_mass;
pub use sparseness::sparseness;
pub use spearman::spearman;
pub use ssim::{SSIM_SIDE, ssim};
pub use top_places::top_k_intersection;
pub use unit_distance::unit_distance;

use duress_stats::UndefinedReason;

/// Whether a map points nowhere: its values are all equal.
pub fn is_constant(map: &[f32]) -> bool {
    map.windows(2).all(|pair| pair[0] == pair[1])
}

/// What a measure says about each pair of maps, where many lie one after another.
pub fn per_item(
    maps: &[f32],
    others: &[f32],
    places: usize,
    measure: impl Fn(&[f32], &[f32]) -> Result<f64, UndefinedReason> + Sync,
) -> Vec<Result<f64, UndefinedReason>> {
    assert_eq!(maps.len(), others.len(), "maps in pairs");
    let pairs: Vec<(&[f32], &[f32])> = maps
        .chunks_exact(places)
        .zip(others.chunks_exact(places))
        .collect();
    duress_stats::parallel::map_list(&pairs, |(map, other)| measure(map, other))
}

/// Two maps that can be compared: as long as each other, finite, and neither constant.
fn check_pair(map: &[f32], other: &[f32]) -> Result<(), UndefinedReason> {
    if map.len() != other.len() {
        return Err(UndefinedReason::Unpaired {
            left: map.len(),
            right: other.len(),
        });
    }
    check_pointing(map, "the values of the first map")?;
    check_pointing(other, "the values of the second map")
}

/// A map that is finite and points somewhere.
fn check_pointing(map: &[f32], what: &'static str) -> Result<(), UndefinedReason> {
    check_finite(map, what)?;
    match is_constant(map) {
        true => Err(UndefinedReason::NoSpread { what }),
        false => Ok(()),
    }
}

fn check_finite(map: &[f32], what: &'static str) -> Result<(), UndefinedReason> {
    match map.iter().position(|value| !value.is_finite()) {
        Some(at) => Err(UndefinedReason::NotFinite { what, at }),
        None => Ok(()),
    }
}

/// A mask that fits a map and marks something.
fn check_mask(map: &[f32], mask: &[bool]) -> Result<(), UndefinedReason> {
    if map.len() != mask.len() {
        return Err(UndefinedReason::Unpaired {
            left: map.len(),
            right: mask.len(),
        });
    }
    match mask.contains(&true) {
        true => Ok(()),
        false => Err(UndefinedReason::Because("the mask marks no place".into())),
    }
}

/// The absolute values of a map that has any other than zero.
fn magnitudes(map: &[f32]) -> Result<Vec<f64>, UndefinedReason> {
    check_finite(map, "the values of the map")?;
    let magnitudes: Vec<f64> = map.iter().map(|&value| f64::from(value).abs()).collect();
    match magnitudes.iter().any(|value| *value > 0.0) {
        true => Ok(magnitudes),
        false => Err(UndefinedReason::Because(
            "the map is zero everywhere".into(),
        )),
    }
}

#[cfg(test)]
mod tests;
