//! How badly a map foretells what noise does to the answer.
//!
//! # What it does
//! Takes normal noise off an image `draws` times, and compares by how much the logit of the class
//! falls with what the map says it should fall by: the mean square of the difference.
//!
//! # Why it matters
//! A map that claims to say how the answer depends on the pixels makes a forecast; this holds it
//! against what happens.
//!
//! # Promise
//! Lower is better, 0 is perfect; its unit is a squared logit, so subjects whose logits differ in
//! size are not to be compared by it. `scaled = true` first multiplies a map by the factor that suits
//! it best, which maps without a unit (`grad-cam`) need. A place has one draw for all its channels.
//!
//! # Example
//! ```toml
//! [gauge.infidelity]
//! use = "infidelity"
//! attribution = "integrated-gradients"
//! ```
//!
//! # Reference
//! C.-K. Yeh et al., On the (in)fidelity and sensitivity of explanations, NeurIPS 2019.

use duress_core::explanation::Explanation;
use duress_core::gauge::{COUNT, Direction, Gauge};
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;

use crate::classify::frame::attribution_keys::{attribution, attribution_fields, severity};
use crate::classify::frame::curve_gauge::CurveGauge;
use crate::classify::frame::explanation_scale::explanation_scale;

/// The part.
pub static PART: Part = Part {
    name: "infidelity",
    version: 1,
    fields: attribution_fields![DRAWS, PERTURBATION, SCALED],
    source: include_str!("infidelity.rs"),
    build: Build::Gauge(|params| Ok(Gauge::Cell(Box::new(gauge(params)?)))),
};

const DRAWS: Field = Field {
    name: "draws",
    takes: Takes::Whole(2, 10_000),
    doc: "how many noisy copies of an image",
    default: Some("32"),
};

const PERTURBATION: Field = Field {
    name: "perturbation",
    takes: Takes::Number(1e-9, 10.0),
    doc: "the deviation of the noise that is taken off, in pixel units",
    default: Some("0.1"),
};

const SCALED: Field = Field {
    name: "scaled",
    takes: Takes::Flag,
    doc: "whether a map is first multiplied by the factor that suits it best",
    default: Some("true"),
};

fn gauge(params: &Params) -> Result<CurveGauge, Problem> {
    let question = Question::explanation(Explanation::Infidelity {
        of: attribution(params)?,
        draws: params.count("draws") as u32,
        noise: severity(params.number("perturbation"))?,
        scaled: params.flag("scaled"),
    });
    Ok(CurveGauge {
        scale: explanation_scale(
            question,
            Direction::Lower,
            Some(0.0),
            COUNT,
            "mean square of foretold less actual fall of the logit",
        ),
        number: Box::new(|row| row[0]),
        axes: None,
    })
}
