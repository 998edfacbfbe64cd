//! The threshold of confidence that keeps a wanted share of items.
//!
//! # What it does
//! Gives the highest confidence that is refused when at least `coverage` of the items, the surest,
//! is accepted, equal confidences together; accepting what is above it gives exactly that. Without
//! `coverage` it is the threshold that was set.
//!
//! # Why it matters
//! To set a threshold in operation, on validation data and never on test data.
//!
//! # Promise
//! Neither way is better. When more items share the lowest confidence than may be refused, nothing
//! is, and it is undefined. Items without an answer do not take part; answers without a confidence
//! leave it undefined.
//!
//! # Example
//! ```toml
//! [gauge.threshold-at-90]
//! use = "selective-threshold"
//! coverage = 0.9
//! ```
//!
//! # Reference
//! R. El-Yaniv and Y. Wiener, On the foundations of noise-free selective classification, JMLR 2010.

use duress_core::gauge::Direction;
use duress_core::part::{Build, Part};
use duress_stats::statistic::SelectiveMeasure;

use crate::classify::frame::selective_prediction::{FIELDS, SelectiveGauge};

/// The part.
pub static PART: Part = Part {
    name: "selective-threshold",
    version: 1,
    fields: &FIELDS,
    source: include_str!("selective_threshold.rs"),
    build: Build::Gauge(|params| {
        let what = "highest confidence refused";
        SelectiveGauge::gauge(
            params,
            what,
            SelectiveMeasure::Threshold,
            Direction::Neither,
            (None, (None, None)),
        )
    }),
};
