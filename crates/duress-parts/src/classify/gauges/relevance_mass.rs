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

use duress_core::gauge::Gauge;
use duress_core::part::{Build, Params, Part};
use duress_core::problem::Problem;
use duress_nn::attribution::measure;

use crate::classify::frame::attribution_keys::attribution_fields;
use crate::classify::frame::explanation_scale::{COMPAT, CompatTool, compat_scale};
use crate::classify::frame::map_gauge::{MapGauge, MapRead};

/// The part.
pub static PART: Part = Part {
    name: "relevance-mass",
    version: 1,
    fields: attribution_fields![COMPAT],
    source: include_str!("relevance_mass.rs"),
    build: Build::Gauge(|params| Ok(Gauge::Cell(Box::new(gauge(params)?)))),
};

fn gauge(params: &Params) -> Result<MapGauge, Problem> {
    let gauge = MapGauge::of_place(
        params,
        "positive values within the mask, of all positive values",
        "no item has both a mask and a map with a positive value",
        Box::new(|map: MapRead<'_>| measure::relevance_mass(map.values, map.mask).ok()),
    )?;
    Ok(match params.choice_if("compat") {
        Some(CompatTool::Quantus) => MapGauge {
            scale: compat_scale(gauge.scale, None, (None, None), AS_QUANTUS),
            nobody: "no item has both a mask and a map whose values do not add up to 0",
            number: Box::new(|map: MapRead<'_>| {
                measure::quantus_relevance_mass(map.values, map.mask).ok()
            }),
            ..gauge
        },
        None => gauge,
    })
}

const AS_QUANTUS: &str =
    "as Quantus: values within the mask, of all values, those against the class with their sign";
