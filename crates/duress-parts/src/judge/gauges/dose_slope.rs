//! What one more error costs.
//!
//! # What it does
//! Fits a straight line by least squares to each item's scores of the gauge `of` over the number
//! of errors, and reads the mean slope, in points per error.
//!
//! # Why it matters
//! A rank correlation says that a score falls, not how far.
//!
//! # Promise
//! Lower is better for the dimension that the errors belong to. A claim with `side = "less"` and a
//! margin asks for so many points per error.
//!
//! # Example
//! ```toml
//! [gauge.dose-slope]
//! use = "dose-slope"
//! of = "quality"
//! ```
//!
//! # Reference
//! `off-target-slope` is the same number for a dimension that should not move.

use duress_core::gauge::Direction;
use duress_core::part::{Build, Part};

use crate::judge::frame::dose_reading::{DoseRead, DoseReading};
use crate::judge::frame::dose_response::Doses;

/// The part.
pub static PART: Part = Part {
    name: "dose-slope",
    version: 1,
    fields: &[Doses::OF],
    source: include_str!("dose_slope.rs"),
    build: Build::Gauge(|params| Ok(READING.gauge(params))),
};

const READING: DoseReading = DoseReading {
    convention: "mean over items of the least-squares slope per error",
    direction: Direction::Lower,
    best: None,
    ends: (None, None),
    read: DoseRead::Slope,
};
