//! The area under the risk–coverage curve as Torch-Uncertainty draws it.
//!
//! # What it does
//! Has a point after every item, equal confidences in the order of the file, and adds trapezoids
//! from coverage 1/n to 1, divided by 1 − 1/n.
//!
//! # Why it matters
//! A published number can be reproduced.
//!
//! # Promise
//! Lower is better, 0 is perfect. Marked `compat`: it copies another tool, and with ties it depends
//! on the order of items. One item leaves it undefined. Items without an answer do not take part;
//! answers without a confidence leave it undefined.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["accuracy", "aurc-torch-uncertainty"]
//! ```
//!
//! # Reference
//! Torch-Uncertainty, `torch_uncertainty.metrics.classification.AURC`.

use duress_core::gauge::Gauge;
use duress_core::part::{Build, Part};
use duress_stats::statistic::{Points, RiskTrapezoid};

use crate::classify::frame::risk_coverage::{FIELDS, RiskCoverageGauge};

/// The part.
pub static PART: Part = Part {
    name: "aurc-torch-uncertainty",
    version: 1,
    fields: &FIELDS,
    source: include_str!("aurc_torch_uncertainty.rs"),
    build: Build::Gauge(|params| {
        let what = "Torch-Uncertainty: trapezoids item by item over [1/n, 1]";
        let area = RiskCoverageGauge::new(params, what, |sure| {
            Box::new(RiskTrapezoid::from_confidences(sure, Points::Every))
        });
        Ok(Gauge::Cell(Box::new(RiskCoverageGauge {
            compat: true,
            ..area
        })))
    }),
};
