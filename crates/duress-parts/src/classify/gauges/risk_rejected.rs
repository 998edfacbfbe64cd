//! The share of refused answers that would have been wrong.
//!
//! # What it does
//! Looks only at what is refused. Accepted is what has a confidence above `threshold`; with
//! `coverage` set, at least that share of the items, the surest, with equal confidences together,
//! so that coverage may be a little higher and never lower.
//!
//! # Why it matters
//! Refusing answers that were right costs work for nothing; this should be far above the risk of
//! what is accepted.
//!
//! # Promise
//! Higher is better for the same accuracy. When nothing is refused it is undefined. Items without
//! an answer do not take part; answers without a confidence leave it undefined.
//!
//! # Example
//! ```toml
//! [gauge.risk-rejected-at-90]
//! use = "risk-rejected"
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
    name: "risk-rejected",
    version: 1,
    fields: &FIELDS,
    source: include_str!("risk_rejected.rs"),
    build: Build::Gauge(|params| {
        let what = "share wrong of what is refused";
        SelectiveGauge::gauge(
            params,
            what,
            SelectiveMeasure::RiskRejected,
            Direction::Higher,
            (None, SHARE),
        )
    }),
};
