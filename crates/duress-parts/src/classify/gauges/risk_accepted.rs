//! The share of accepted answers that is wrong.
//!
//! # What it does
//! Looks only at what is accepted. Accepted is what has a confidence above `threshold`; with
//! `coverage` set, at least that share of the items, the surest, with equal confidences together,
//! so that coverage may be a little higher and never lower.
//!
//! # Why it matters
//! What still goes wrong when a subject may refuse.
//!
//! # Promise
//! Lower is better, 0 is perfect. When nothing is accepted it is undefined. Items without an answer
//! do not take part; answers without a confidence leave it undefined.
//!
//! # Example
//! ```toml
//! [gauge.risk-accepted-at-90]
//! use = "risk-accepted"
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
    name: "risk-accepted",
    version: 1,
    fields: &FIELDS,
    source: include_str!("risk_accepted.rs"),
    build: Build::Gauge(|params| {
        let what = "share wrong of what is accepted";
        SelectiveGauge::gauge(
            params,
            what,
            SelectiveMeasure::RiskAccepted,
            Direction::Lower,
            (Some(0.0), SHARE),
        )
    }),
};
