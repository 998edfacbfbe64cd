//! How many errors it takes to halve the score.
//!
//! # What it does
//! Reads the means over items of the gauge `of` along the ladder, drawn with straight lines, and
//! gives the first number of errors at which half of the clean mean is reached.
//!
//! # Why it matters
//! One number for how strict a judge is.
//!
//! # Promise
//! Lower is stricter. Where half is not reached within the ladder it is undefined, and never the
//! largest dose.
//!
//! # Example
//! ```toml
//! [gauge.half-dose]
//! use = "half-dose"
//! of = "quality"
//! ```
//!
//! # Reference
//! As an ED50, without a model of the curve.

use duress_core::gauge::{COUNT, Direction, Undefined};
use duress_core::part::{Build, Part};

use crate::judge::frame::dose_reading::{DoseRead, DoseReading};
use crate::judge::frame::dose_response::Doses;

/// The part.
pub static PART: Part = Part {
    name: "half-dose",
    version: 1,
    fields: &[Doses::OF],
    source: include_str!("half_dose.rs"),
    build: Build::Gauge(|params| Ok(READING.gauge(params))),
};

const READING: DoseReading = DoseReading {
    convention: "number of errors at which the mean over items has halved",
    direction: Direction::Lower,
    best: None,
    ends: COUNT,
    read: DoseRead::Means(half),
};

fn half(dose: &[f64], score: &[f64]) -> Result<f64, Undefined> {
    let wanted = score.first().map_or(0.0, |clean| clean / 2.0);
    let steps = dose.windows(2).zip(score.windows(2));
    let mut steps = steps.filter(|(_, score)| score[1] <= wanted);
    let (dose, score) = steps
        .next()
        .ok_or_else(|| Undefined::new("the score does not fall to a half along this ladder"))?;
    let part = (score[0] - wanted) / (score[0] - score[1]);
    Ok(dose[0] + part * (dose[1] - dose[0]))
}
