//! The share of accepted answers that is right.
//!
//! # What it does
//! Looks only at what is accepted. Accepted is what has a confidence above `threshold`; with
//! `coverage` set, at least that share of the items, the surest, with equal confidences together,
//! so that coverage may be a little higher and never lower. Its detail is that and the coverage at
//! fifty thresholds from 0.50 to 0.99.
//!
//! # Why it matters
//! How good a subject is where it is let answer.
//!
//! # Promise
//! Higher is better, 1 is perfect. When nothing is accepted it is undefined. Items without an
//! answer do not take part; answers without a confidence leave it undefined.
//!
//! # Example
//! ```toml
//! [gauge.selective-accuracy-at-90]
//! use = "selective-accuracy"
//! coverage = 0.9
//! ```
//!
//! # Reference
//! R. El-Yaniv and Y. Wiener, On the foundations of noise-free selective classification, JMLR 2010.

use duress_core::gauge::{Direction, SHARE};
use duress_core::part::{Build, Part};
use duress_stats::statistic::SelectiveMeasure;

use crate::classify::frame::selective_prediction::{FIELDS, SelectiveGauge};

/// The part.
pub static PART: Part = Part {
    name: "selective-accuracy",
    version: 1,
    fields: &FIELDS,
    source: include_str!("selective_accuracy.rs"),
    build: Build::Gauge(|params| {
        let what = "share right of what is accepted";
        SelectiveGauge::gauge(
            params,
            what,
            SelectiveMeasure::Accuracy,
            Direction::Higher,
            (Some(1.0), SHARE),
        )
    }),
};
