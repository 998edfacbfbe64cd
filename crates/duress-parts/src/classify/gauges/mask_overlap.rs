//! How well the strongest places of a map cover what the label is about.
//!
//! # What it does
//! Takes as many of the strongest places of a map as the mask has, and gives how many places both
//! have, divided by how many either has.
//!
//! # Why it matters
//! Pointing at one place is easy; covering the thing is not.
//!
//! # Promise
//! Higher is better, 1 is perfect. Compare it with the same gauge of a floor (`attribution =
//! "centre-gaussian"`). A map that is the same everywhere, and a mask that is empty or whole, do not
//! take part. The dataset has to tell where things are (`masks`).
//!
//! # Example
//! ```toml
//! [gauge.mask-overlap]
//! use = "mask-overlap"
//! attribution = "grad-cam"
//! ```
//!
//! # Reference
//! B. Zhou et al., Learning deep features for discriminative localization, CVPR 2016 (intersection
//! over union; here with the mask's own size as the threshold, so that nothing is tuned).

use duress_core::gauge::Gauge;
use duress_core::part::{Build, Params, Part};
use duress_core::problem::Problem;
use duress_nn::attribution::measure;

use crate::classify::frame::attribution_keys::attribution_fields;
use crate::classify::frame::map_gauge::{MapGauge, MapRead};

/// The part.
pub static PART: Part = Part {
    name: "mask-overlap",
    version: 1,
    fields: attribution_fields![],
    source: include_str!("mask_overlap.rs"),
    build: Build::Gauge(|params| Ok(Gauge::Cell(Box::new(gauge(params)?)))),
};

fn gauge(params: &Params) -> Result<MapGauge, Problem> {
    MapGauge::of_place(
        params,
        "intersection over union of the mask and as many of the strongest places",
        "no item has both a mask and a map that is not the same everywhere",
        Box::new(|map: MapRead<'_>| measure::mask_overlap(map.values, map.mask).ok()),
    )
}
