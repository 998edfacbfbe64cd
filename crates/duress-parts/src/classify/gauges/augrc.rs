//! The area under the generalised risk–coverage curve: how often a subject is wrong without
//! noticing.
//!
//! # What it does
//! Averages over all coverages the share of all items that is both answered and wrong. Equal to (1
//! − AUROC)·a·(1 − a) + (1 − a)²/2 with accuracy a and the AUROC of confidence for right against
//! wrong; ties count half.
//!
//! # Why it matters
//! In AURC the few surest items weigh most. Here every undetected error weighs the same, which is
//! closer to what a failure costs.
//!
//! # Promise
//! Lower is better, 0 is perfect; 0.5 is all wrong. Items without an answer do not take part;
//! answers without a confidence leave it undefined.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["accuracy", "augrc"]
//! ```
//!
//! # Reference
//! J. Traub et al., Overcoming common flaws in the evaluation of selective classification systems,
//! NeurIPS 2024. FD-Shifts prints it times 1000.

use duress_core::gauge::Gauge;
use duress_core::part::{Build, Part};
use duress_stats::statistic::Augrc;

use crate::classify::frame::risk_coverage::{FIELDS, RiskCoverageGauge};

/// The part.
pub static PART: Part = Part {
    name: "augrc",
    version: 1,
    fields: &FIELDS,
    source: include_str!("augrc.rs"),
    build: Build::Gauge(|params| {
        let what = "trapezoids at every distinct confidence, from coverage 0";
        Ok(Gauge::Cell(Box::new(RiskCoverageGauge::new(
            params,
            what,
            |sure| Box::new(Augrc::from_confidences(sure)),
        ))))
    }),
};
