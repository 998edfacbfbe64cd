//! The area under the risk–coverage curve as FD-Shifts draws it.
//!
//! # What it does
//! Has a point at every distinct confidence, goes on flat from the first to coverage 0, and adds
//! trapezoids between them.
//!
//! # Why it matters
//! A published number can be reproduced. With many ties it differs from `aurc`, which takes tied
//! items in expectation.
//!
//! # Promise
//! Lower is better, 0 is perfect. Marked `compat`: it copies another tool. FD-Shifts prints it
//! times 1000; here it is not scaled. Items without an answer do not take part; answers without a
//! confidence leave it undefined.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["accuracy", "aurc-fd-shifts"]
//! ```
//!
//! # Reference
//! P. Jaeger et al., A call to reflect on evaluation practices for failure detection in image
//! classification, ICLR 2023, and the code of FD-Shifts.

use duress_core::gauge::Gauge;
use duress_core::part::{Build, Part};
use duress_stats::statistic::{Points, RiskTrapezoid};

use crate::classify::frame::risk_coverage::{FIELDS, RiskCoverageGauge};

/// The part.
pub static PART: Part = Part {
    name: "aurc-fd-shifts",
    version: 1,
    fields: &FIELDS,
    source: include_str!("aurc_fd_shifts.rs"),
    build: Build::Gauge(|params| {
        let what = "FD-Shifts: trapezoids at distinct confidences, flat to 0, unscaled";
        let area = RiskCoverageGauge::new(params, what, |sure| {
            Box::new(RiskTrapezoid::from_confidences(sure, Points::Distinct))
        });
        Ok(Gauge::Cell(Box::new(RiskCoverageGauge {
            compat: true,
            ..area
        })))
    }),
};
