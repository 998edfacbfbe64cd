//! How often the strongest place of a map lies on what the label is about.
//!
//! # What it does
//! Takes the place where a map is strongest, and looks whether a place of the mask is at most
//! `tolerance` pixels away. Of several places that are equally strong each counts its share.
//!
//! # Why it matters
//! An answer that rests on a ruler beside the lesion is right for the wrong reason.
//!
//! # Promise
//! Higher is better, 1 is perfect. Compare it with the same gauge of a floor (`attribution =
//! "centre-gaussian"`): where things lie in the middle of images, pointing there is right without
//! looking. A map that is the same everywhere, and an empty mask, do not take part. The dataset has
//! to tell where things are (`masks`).
//!
//! # Example
//! ```toml
//! [gauge.pointing-game]
//! use = "pointing-game"
//! attribution = "grad-cam"
//! ```
//!
//! # Reference
//! J. Zhang et al., Top-down neural attention by excitation backprop, IJCV 126 (2018) 1084–1102
//! (tolerance 15 at the size of its images; here 0 unless set).

use duress_core::gauge::{Gauge, SHARE};
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_nn::attribution::measure;

use crate::classify::frame::attribution_keys::attribution_fields;
use crate::classify::frame::explanation_scale::{COMPAT, CompatTool, compat_scale};
use crate::classify::frame::map_gauge::{MapGauge, MapRead};

/// The part.
pub static PART: Part = Part {
    name: "pointing-game",
    version: 1,
    fields: attribution_fields![TOLERANCE, COMPAT],
    source: include_str!("pointing_game.rs"),
    build: Build::Gauge(|params| Ok(Gauge::Cell(Box::new(gauge(params)?)))),
};

const TOLERANCE: Field = Field {
    name: "tolerance",
    takes: Takes::Number(0.0, 1024.0),
    doc: "how many pixels beside the mask still count",
    default: Some("0"),
};

fn gauge(params: &Params) -> Result<MapGauge, Problem> {
    let tolerance = params.number("tolerance");
    let compat = params.choice_if("compat");
    if compat.is_some() && tolerance != 0.0 {
        return Err(Problem::new("`tolerance` with `compat = \"quantus\"`")
            .expected("one of them: Quantus has no tolerance"));
    }
    let number = move |map: MapRead<'_>| {
        let size = [map.height, map.width];
        measure::pointing_game(map.values, map.mask, size, tolerance).ok()
    };
    let gauge = MapGauge::of_place(
        params,
        &format!("strongest place within {tolerance} pixels of the mask"),
        "no item has both a mask and a map that is not the same everywhere",
        Box::new(number),
    )?;
    Ok(match compat {
        Some(CompatTool::Quantus) => MapGauge {
            scale: compat_scale(gauge.scale, Some(1.0), SHARE, AS_QUANTUS),
            number: Box::new(|map: MapRead<'_>| {
                measure::quantus_pointing_game(map.values, map.mask).ok()
            }),
            ..gauge
        },
        None => gauge,
    })
}

const AS_QUANTUS: &str = "as Quantus: any of the strongest places within the mask";
