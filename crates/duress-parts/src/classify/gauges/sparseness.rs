//! How few places a map rests on.
//!
//! # What it does
//! Gives the Gini index of the absolute values of a map: 0 when all places weigh alike, towards 1
//! when one has all the weight.
//!
//! # Why it matters
//! An explanation that points everywhere explains nothing. Few places are no virtue in themselves: a
//! map may be sparse and wrong, so neither way is better.
//!
//! # Promise
//! From 0 to 1. It does not change with the size of a map's values. A map of zeros does not take
//! part.
//!
//! # Example
//! ```toml
//! [gauge.sparseness]
//! use = "sparseness"
//! attribution = "grad-cam"
//! ```
//!
//! # Reference
//! P. Chalasani et al., Concise explanations of neural networks using adversarial training, ICML 2020.

use duress_core::gauge::{Direction, Gauge, SHARE};
use duress_core::part::{Build, Params, Part};
use duress_core::problem::Problem;
use duress_nn::attribution::measure;

use crate::classify::frame::attribution_keys::{attribution_fields, map_question};
use crate::classify::frame::explanation_scale::{
    COMPAT, CompatTool, compat_scale, explanation_scale,
};
use crate::classify::frame::map_gauge::{MapGauge, MapNumber, MapRead};

/// The part.
pub static PART: Part = Part {
    name: "sparseness",
    version: 1,
    fields: attribution_fields![COMPAT],
    source: include_str!("sparseness.rs"),
    build: Build::Gauge(|params| Ok(Gauge::Cell(Box::new(gauge(params)?)))),
};

fn gauge(params: &Params) -> Result<MapGauge, Problem> {
    let reads = map_question(params)?;
    let convention = "Gini index of absolute values";
    let scale = explanation_scale(reads, Direction::Neither, None, SHARE, convention);
    let (scale, number): (_, Box<MapNumber>) = match params.choice_if("compat") {
        Some(CompatTool::Quantus) => (
            compat_scale(scale, None, SHARE, AS_QUANTUS),
            Box::new(|map: MapRead<'_>| measure::quantus_sparseness(map.values).ok()),
        ),
        None => (
            scale,
            Box::new(|map: MapRead<'_>| measure::sparseness(map.values).ok()),
        ),
    };
    Ok(MapGauge {
        scale,
        needs_mask: false,
        is_share: false,
        nobody: "no item has a map that is not zero everywhere",
        number,
    })
}

const AS_QUANTUS: &str =
    "as Quantus: Gini index of absolute values by the largest, with 1e-7 added to each";
