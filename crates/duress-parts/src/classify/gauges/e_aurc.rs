//! The area under the risk–coverage curve above that of an oracle.
//!
//! # What it does
//! Subtracts from `aurc` what the same answers would reach with the best possible confidence, one
//! that refuses every wrong answer before any right one; both under the same convention.
//!
//! # Why it matters
//! AURC mixes how often a subject is wrong with how well it knows when. This is the second alone,
//! so subjects of different accuracy can be compared.
//!
//! # Promise
//! Lower is better, 0 is perfect: no confidence could rank these answers better. It is never below 0. Items without an answer do
//! not take part; answers without a confidence leave it undefined.
//!
//! # Example
//! ```toml
//! [gauge.e-aurc-by-margin]
//! use = "e-aurc"
//! confidence = "margin"
//! ```
//!
//! # Reference
//! Y. Geifman, G. Uziel and R. El-Yaniv, Bias-reduced uncertainty estimation for deep neural
//! classifiers, ICLR 2019, with the sum in place of their integral.

use duress_core::gauge::Gauge;
use duress_core::part::{Build, Part};
use duress_stats::statistic::{AurcBaseline, ExcessAurc, RiskCoverageArea};

use crate::classify::frame::risk_coverage::{FIELDS, RiskCoverageGauge};

/// The part.
pub static PART: Part = Part {
    name: "e-aurc",
    version: 1,
    fields: &FIELDS,
    source: include_str!("e_aurc.rs"),
    build: Build::Gauge(|params| {
        let what = "AURC (mean risk over coverages, ties in expectation) minus an oracle's";
        Ok(Gauge::Cell(Box::new(RiskCoverageGauge::new(
            params,
            what,
            |sure| {
                Box::new(ExcessAurc::new(
                    RiskCoverageArea::from_confidences(sure),
                    AurcBaseline::Oracle,
                ))
            },
        ))))
    }),
};
