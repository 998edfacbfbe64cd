//! The area under the risk–coverage curve minus the error rate: what confidence gains over none.
//!
//! # What it does
//! Subtracts from `aurc` the share of answers that is wrong, which is what confidence without any
//! meaning would reach in expectation.
//!
//! # Why it matters
//! Below 0, the confidence helps to choose what to refuse; at 0 it is worth as much as a die. Some
//! call this excess AURC, which it is not: see `e-aurc`.
//!
//! # Promise
//! Lower is better; 0 is meaningless confidence, and also what perfect answers give. Items without
//! an answer do not take part; answers without a confidence leave it undefined.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["accuracy", "aurc-minus-error-rate"]
//! ```
//!
//! # Reference
//! The subtraction that some code publishes under the name of E-AURC; kept under a name that says
//! what it is.

use duress_core::gauge::Gauge;
use duress_core::part::{Build, Part};
use duress_stats::statistic::{AurcBaseline, ExcessAurc, RiskCoverageArea};

use crate::classify::frame::risk_coverage::{FIELDS, RiskCoverageGauge};

/// The part.
pub static PART: Part = Part {
    name: "aurc-minus-error-rate",
    version: 1,
    fields: &FIELDS,
    source: include_str!("aurc_minus_error_rate.rs"),
    build: Build::Gauge(|params| {
        let what = "AURC (mean risk over coverages, ties in expectation) minus the error rate";
        let area = RiskCoverageGauge::new(params, what, |sure| {
            Box::new(ExcessAurc::new(
                RiskCoverageArea::from_confidences(sure),
                AurcBaseline::Random,
            ))
        });
        Ok(Gauge::Cell(Box::new(RiskCoverageGauge {
            best: None,
            ..area
        })))
    }),
};
