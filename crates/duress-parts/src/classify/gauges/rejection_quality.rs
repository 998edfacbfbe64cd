//! How many times riskier the refused answers are than the accepted ones.
//!
//! # What it does
//! Divides the share of refused answers that is wrong by the share of accepted answers that is
//! wrong. Accepted is what has a confidence above `threshold`; with `coverage` set, at least that
//! share of the items, the surest, with equal confidences together, so that coverage may be a
//! little higher and never lower.
//!
//! # Why it matters
//! Above 1 the subject refuses the right things; 1 is refusing at random.
//!
//! # Promise
//! Higher is better. When nothing accepted is wrong it is undefined, not infinite; so it is when
//! nothing is accepted or nothing refused. Items without an answer do not take part; answers
//! without a confidence leave it undefined.
//!
//! # Example
//! ```toml
//! [gauge.rejection-quality-at-90]
//! use = "rejection-quality"
//! coverage = 0.9
//! ```
//!
//! # Reference
//! F. Condessa, J. Bioucas-Dias and J. Kovačević, Performance measures for classification systems
//! with rejection, 2017, in the form of a ratio of risks.

use duress_core::gauge::{COUNT, Direction};
use duress_core::part::{Build, Part};
use duress_stats::statistic::SelectiveMeasure;

use crate::classify::frame::selective_prediction::{FIELDS, SelectiveGauge};

/// The part.
pub static PART: Part = Part {
    name: "rejection-quality",
    version: 1,
    fields: &FIELDS,
    source: include_str!("rejection_quality.rs"),
    build: Build::Gauge(|params| {
        let what = "share wrong of what is refused over that of what is accepted";
        SelectiveGauge::gauge(
            params,
            what,
            SelectiveMeasure::RejectionQuality,
            Direction::Higher,
            (None, COUNT),
        )
    }),
};
