//! The share of the edges found that are true, with their direction.
//!
//! # What it does
//! Counts the edges of the answer that the truth has in the same direction, and divides by the
//! number of edges of the answer. A reversed edge is false. Higher is better, 1 is best.
//!
//! # Why it matters
//! How far a reader may trust an edge that is drawn. A learner that draws few edges can have it
//! high: read it beside `edge-recall`.
//!
//! # Promise
//! An answer without edges has no precision: the reason is said, and it is not counted as 0 or 1.
//! Both graphs must have the same variables in the same order. The unit is the replicate: one graph
//! is one observation, however many windows it was learnt from.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["edge-precision"]
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
    name: "edge-precision",
    version: 1,
    fields: &[],
    source: include_str!("edge_precision.rs"),
    build: Build::Gauge(|_| {
        let convention =
            "share of the directed edges found that are true; a reversed edge is false";
        let read =
            |truth: &_, answer: &GraphAnswer| Overlap::directed(truth, &answer.graph)?.precision();
        Ok(GraphGauge::share(convention, read).built())
    }),
};
