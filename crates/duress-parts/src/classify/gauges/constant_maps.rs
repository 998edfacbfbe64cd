//! How many maps say nothing: the same value everywhere.
//!
//! # What it does
//! Gives the share of explained items whose map has one value at all places, such as a Grad-CAM whose
//! channels all argue against the class.
//!
//! # Why it matters
//! Such a map cannot be compared with another, so gauges of likeness leave its item out: what they
//! say is about the others. This says how many those are not.
//!
//! # Promise
//! Lower is better, 0 is perfect.
//!
//! # Example
//! ```toml
//! [gauge.constant-maps]
//! use = "constant-maps"
//! attribution = "grad-cam"
//! ```
//!
//! # Reference
//! R. Selvaraju et al., Grad-CAM, ICCV 2017 (the ReLU that leaves such maps).

use duress_core::gauge::{Direction, Gauge, SHARE};
use duress_core::part::{Build, Params, Part};
use duress_core::problem::Problem;
use duress_nn::attribution::measure;

use crate::classify::frame::attribution_keys::{attribution_fields, map_question};
use crate::classify::frame::explanation_scale::explanation_scale;
use crate::classify::frame::map_gauge::{MapGauge, MapRead};

/// The part.
pub static PART: Part = Part {
    name: "constant-maps",
    version: 1,
    fields: attribution_fields![],
    source: include_str!("constant_maps.rs"),
    build: Build::Gauge(|params| Ok(Gauge::Cell(Box::new(gauge(params)?)))),
};

fn gauge(params: &Params) -> Result<MapGauge, Problem> {
    let is_constant =
        |map: MapRead<'_>| Some(f64::from(u8::from(measure::is_constant(map.values))));
    Ok(MapGauge {
        scale: explanation_scale(
            map_question(params)?,
            Direction::Lower,
            Some(0.0),
            SHARE,
            "share of maps with one value at all places",
        ),
        needs_mask: false,
        is_share: true,
        nobody: "no item was explained",
        number: Box::new(is_constant),
    })
}
