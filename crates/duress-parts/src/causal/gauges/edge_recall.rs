//! The share of the true edges that are found, with their direction.
//!
//! # What it does
//! Counts the true edges that the answer has in the same direction, and divides by the number of
//! true edges. A reversed edge is not found. Higher is better, 1 is best.
//!
//! # Why it matters
//! How much of the graph is known. A learner that draws everything has it at 1: read it beside
//! `edge-precision`.
//!
//! # Promise
//! A truth without edges has no recall: the reason is said. Both graphs must have the same
//! variables in the same order. The unit is the replicate: one graph is one observation, however
//! many windows it was learnt from.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["edge-recall"]
//! ```
//!
//! # Reference
//! van Rijsbergen, *Information Retrieval*, 2nd ed., 1979, chapter 7.

use duress_core::answer::GraphAnswer;
use duress_core::part::{Build, Part};
use duress_graph::measure::Overlap;

use crate::causal::frame::graph_gauge::GraphGauge;

/// The part.
pub static PART: Part = Part {
    name: "edge-recall",
    version: 1,
    fields: &[],
    source: include_str!("edge_recall.rs"),
    build: Build::Gauge(|_| {
        let convention = "share of the true directed edges that are found; a reversed edge is not";
        let read =
            |truth: &_, answer: &GraphAnswer| Overlap::directed(truth, &answer.graph)?.recall();
        Ok(GraphGauge::share(convention, read).built())
    }),
};
