//! The share of items that a subject would answer if it may refuse what it is not sure of.
//!
//! # What it does
//! Gives the share of answered items that is accepted. Accepted is what has a confidence above
//! `threshold`; with `coverage` set, at least that share of the items, the surest, with equal
//! confidences together, so that coverage may be a little higher and never lower.
//!
//! # Why it matters
//! A selective accuracy means nothing without the share it is reached on.
//!
//! # Promise
//! Neither way is better in itself: at one threshold more is accepted by whoever is surer, rightly
//! or wrongly. 1 is all. Items without an answer do not take part; answers without a confidence
//! leave it undefined.
//!
//! # Example
//! ```toml
//! [gauge.coverage-above-90]
//! use = "coverage"
//! threshold = 0.9
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
    name: "coverage",
    version: 1,
    fields: &FIELDS,
    source: include_str!("coverage.rs"),
    build: Build::Gauge(|params| {
        let what = "share accepted";
        SelectiveGauge::gauge(
            params,
            what,
            SelectiveMeasure::Coverage,
            Direction::Neither,
            (None, SHARE),
        )
    }),
};
