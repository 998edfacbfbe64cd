//! How alike the map of an image is to those of images next to it.
//!
//! # What it does
//! Moves every pixel by at most `radius`, `draws` times, and takes the lowest likeness (`ssim`,
//! `spearman`, `cosine` or `top-k`) of the maps of these neighbours to the map of the image. It needs
//! no stress: it is known of an image as it comes, so an answer can be accepted or refused by it
//! (`steadiness` of `selective-accuracy` and its kin).
//!
//! # Why it matters
//! Where the explanation of an answer depends on noise, the answer may too.
//!
//! # Promise
//! Higher is better, 1 is perfect. It is the lowest of some draws, so more draws give less. A
//! map that is the same everywhere has no such number: its item does not take part.
//!
//! Of a method that draws by chance the same maps with other draws are read beside it
//! (`redrawn = true`, by itself): what is not below that is noise.
//!
//! # Example
//! ```toml
//! [gauge.steadiness]
//! use = "explanation-steadiness"
//! attribution = "grad-cam"
//! ```
//!
//! # Reference
//! D. Alvarez-Melis and T. Jaakkola, On the robustness of interpretability methods, 2018.

use duress_core::gauge::{Direction, Gauge, SIGNED};
use duress_core::part::{Build, Params, Part};
use duress_core::problem::Problem;

use crate::classify::frame::attribution_keys::{attribution, attribution_fields};
use crate::classify::frame::curve_gauge::CurveGauge;
use crate::classify::frame::explanation_scale::explanation_scale;
use crate::classify::frame::neighbours::{DRAWS, RADIUS, REDRAWN, likeness, redrawn, steadiness};
use crate::shared::frame::map_likeness::MEASURE;

/// The part.
pub static PART: Part = Part {
    name: "explanation-steadiness",
    version: 1,
    fields: attribution_fields![MEASURE, DRAWS, RADIUS, REDRAWN],
    source: include_str!("explanation_steadiness.rs"),
    build: Build::Gauge(|params| Ok(Gauge::Cell(Box::new(gauge(params)?)))),
};

fn gauge(params: &Params) -> Result<CurveGauge, Problem> {
    let of = attribution(params)?;
    let measure = likeness(params.choice("measure"))?;
    let draws = params.count("draws");
    let (question, convention) = match params.flag("redrawn") {
        true => (
            redrawn(of, measure, None, draws)?,
            "lowest likeness to the same map with other draws",
        ),
        false => (
            steadiness(of, measure, draws, params.number("radius"))?,
            "lowest likeness to the maps of neighbours",
        ),
    };
    Ok(CurveGauge {
        scale: explanation_scale(question, Direction::Higher, Some(1.0), SIGNED, convention),
        number: Box::new(|row| row[0]),
        axes: None,
    })
}
