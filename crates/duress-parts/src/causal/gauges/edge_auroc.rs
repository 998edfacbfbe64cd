//! How often a true edge scores higher than a pair without one.
//!
//! # What it does
//! The area under the receiver operating characteristic of the scores over all ordered pairs: the
//! probability that a true edge has a higher score than an ordered pair that is none, a tie
//! counting half. Which edges were chosen does not matter. Higher is better, 1 is best, 0.5 is
//! chance.
//!
//! # Why it matters
//! It separates a learner's evidence from its threshold. Graphs are sparse, so most pairs are easy:
//! read it beside `edge-auprc`.
//!
//! # Promise
//! Undefined where the truth has no edge, or has all. Scores are taken as they are: higher means
//! surer. Both graphs must have the same variables in the same order. The unit is the replicate:
//! one graph is one observation, however many windows it was learnt from.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["edge-auroc"]
//! ```
//!
//! # Reference
//! Hanley and McNeil, *Radiology* 143 (1982) 29–36.

use duress_core::part::{Build, Part};
use duress_graph::ranking::Ranking;

use crate::causal::frame::graph_gauge::GraphGauge;

/// The part.
pub static PART: Part = Part {
    name: "edge-auroc",
    version: 1,
    fields: &[],
    source: include_str!("edge_auroc.rs"),
    build: Build::Gauge(|_| {
        let convention =
            "area under the ROC curve of the scores over all ordered pairs; ties count half";
        Ok(GraphGauge::share(convention, |truth, answer| {
            Ranking::directed(truth, answer)?.auroc()
        })
        .built())
    }),
};
