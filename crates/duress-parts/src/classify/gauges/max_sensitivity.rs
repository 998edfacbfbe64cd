//! How far a map moves while its image hardly does.
//!
//! # What it does
//! Moves every pixel by at most `radius`, `draws` times, and takes the largest Euclidean distance
//! between the map of the image and those of its neighbours, divided by the length of the map.
//!
//! # Why it matters
//! A map that changes with what no eye can see explains the noise.
//!
//! # Promise
//! Lower is better, 0 is perfect. It is the largest of some draws, so more draws give more. A map of
//! zeros has no length: its item does not take part.
//!
//! # Example
//! ```toml
//! [gauge.max-sensitivity]
//! use = "max-sensitivity"
//! attribution = "grad-cam"
//! radius = "2/255"
//! ```
//!
//! # Reference
//! C.-K. Yeh et al., On the (in)fidelity and sensitivity of explanations, NeurIPS 2019; divided by
//! the length of the map as Captum and Quantus do.

use duress_core::explanation::Explanation;
use duress_core::gauge::{COUNT, Direction, Gauge};
use duress_core::part::{Build, Params, Part};
use duress_core::problem::Problem;
use duress_core::question::Question;

use crate::classify::frame::attribution_keys::{attribution, attribution_fields, severity};
use crate::classify::frame::curve_gauge::CurveGauge;
use crate::classify::frame::explanation_scale::explanation_scale;
use crate::classify::frame::neighbours::{DRAWS, RADIUS};

/// The part.
pub static PART: Part = Part {
    name: "max-sensitivity",
    version: 1,
    fields: attribution_fields![DRAWS, RADIUS],
    source: include_str!("max_sensitivity.rs"),
    build: Build::Gauge(|params| Ok(Gauge::Cell(Box::new(gauge(params)?)))),
};

fn gauge(params: &Params) -> Result<CurveGauge, Problem> {
    let question = Question::explanation(Explanation::MaxSensitivity {
        of: attribution(params)?,
        draws: params.count("draws") as u32,
        radius: severity(params.number("radius"))?,
    });
    Ok(CurveGauge {
        scale: explanation_scale(
            question,
            Direction::Lower,
            Some(0.0),
            COUNT,
            "largest distance to the maps of neighbours, by the length of the map",
        ),
        number: Box::new(|row| row[0]),
        axes: None,
    })
}
