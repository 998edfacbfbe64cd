//! How much of what a map says in favour lies on what the label is about.
//!
//! # What it does
//! Divides the sum of the positive values of a map within the mask by their sum over the image.
//!
//! # Why it matters
//! A map may point at the lesion and still give most of its weight to what surrounds it.
//!
//! # Promise
//! Higher is better, 1 is perfect; a map that is the same everywhere would have the mask's share of the
//! image. Compare it with the same gauge of a floor (`attribution = "centre-gaussian"`). A map
//! without a positive value, and an empty mask, do not take part. The dataset has to tell where
//! things are (`masks`).
//!
//! # Example
//! ```toml
//! [gauge.relevance-mass]
//! use = "relevance-mass"
//! attribution = "grad-cam"
//! ```
//!
//! # Reference
//! L. Arras, A. Osman and W. Samek, CLEVR-XAI, *Information Fusion* 81 (2022) 14–40 (relevance mass
//! accuracy).

use duress_core::gauge::{Direction, Gauge, SHARE};
use duress_core::part::{Build, Params, Part};
use duress_core::problem::Problem;
use duress_nn::attribution::measure;

use crate::classify::frame::attribution_keys::{attribution_fields, map_question};
use crate::classify::frame::map_gauge::{MapGauge, MapRead};

/// The part.
pub static PART: Part = Part {
    name: "relevance-mass",
    version: 1,
    fields: attribution_fields![],
    source: include_str!("relevance_mass.rs"),
    build: Build::Gauge(|params| Ok(Gauge::Cell(Box::new(gauge(params)?)))),
};

fn gauge(params: &Params) -> Result<MapGauge, Problem> {
    Ok(MapGauge {
        question: map_question(params)?,
        direction: Direction::Higher,
        best: Some(1.0),
        ends: SHARE,
        convention: "positive values within the mask, of all positive values".into(),
        needs_mask: true,
        is_share: false,
        nobody: "no item has both a mask and a map with a positive value",
        number: Box::new(|map: MapRead<'_>| measure::relevance_mass(map.values, map.mask).ok()),
    })
}
