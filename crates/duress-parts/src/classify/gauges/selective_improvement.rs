//! How much more of the accepted answers is right than of all.
//!
//! # What it does
//! Subtracts accuracy from the accuracy of what is accepted. Accepted is what has a confidence
//! above `threshold`; with `coverage` set, at least that share of the items, the surest, with equal
//! confidences together, so that coverage may be a little higher and never lower.
//!
//! # Why it matters
//! What refusing is worth, in points of accuracy.
//!
//! # Promise
//! Higher is better. 0 is what refusing at random gives, and also what perfect answers give. When
//! nothing is accepted it is undefined. Items without an answer do not take part; answers without a
//! confidence leave it undefined.
//!
//! # Example
//! ```toml
//! [gauge.selective-improvement-at-90]
//! use = "selective-improvement"
//! coverage = 0.9
//! ```
//!
//! # Reference
//! R. El-Yaniv and Y. Wiener, On the foundations of noise-free selective classification, JMLR 2010.

use duress_core::gauge::{Direction, SIGNED};
use duress_core::part::{Build, Part};
use duress_stats::statistic::SelectiveMeasure;

use crate::classify::frame::selective_prediction::{FIELDS, SelectiveGauge};

/// The part.
pub static PART: Part = Part {
    name: "selective-improvement",
    version: 1,
    fields: &FIELDS,
    source: include_str!("selective_improvement.rs"),
    build: Build::Gauge(|params| {
        let what = "accuracy of what is accepted minus that of all";
        SelectiveGauge::gauge(
            params,
            what,
            SelectiveMeasure::Improvement,
            Direction::Higher,
            (None, SIGNED),
        )
    }),
};
