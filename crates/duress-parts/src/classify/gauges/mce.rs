//! The maximum calibration error: the largest distance between confidence and accuracy in any bin
//! of confidence.
//!
//! # What it does
//! Sorts items into `bins` equal-width bins of the confidence in their answer, (lo, hi], the first
//! closed below, and gives the largest distance between mean confidence and accuracy among the bins
//! that hold an item.
//!
//! # Why it matters
//! An average can hide a range of confidence in which a subject is far off; a worst case cannot.
//!
//! # Promise
//! Lower is better, 0 is perfect. A bin with one item counts as much as one with thousands, so it
//! is noisy: look at its interval, and at the bins of `ece`. Items without an answer do not take
//! part; answers without a confidence leave it undefined.
//!
//! # Example
//! ```toml
//! [gauge.mce-10]
//! use = "mce"
//! bins = 10
//! ```
//!
//! # Reference
//! M. Pakdaman Naeini et al., Obtaining well calibrated probabilities using Bayesian binning, AAAI
//! 2015.

use duress_core::gauge::Gauge;
use duress_core::part::{Build, Part};
use duress_stats::statistic::{Edges, Gap};

use crate::classify::frame::calibration_error::{BINS, CalibrationGauge, TwoClasses};

/// The part.
pub static PART: Part = Part {
    name: "mce",
    version: 1,
    fields: &[BINS],
    source: include_str!("mce.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Cell(Box::new(CalibrationGauge {
            bins: params.count("bins"),
            convention: |bins| {
                format!(
                    "largest gap over {bins} equal-width bins (lo, hi], the first closed below; top label"
                )
            },
            edges: Edges::AboveLow,
            gap: Gap::Largest,
            two_classes: TwoClasses::TopLabel,
            compat: false,
        })))
    }),
};
