//! How many edges of the answer are not true.
//!
//! # What it does
//! Counts the directed edges of the answer that the truth has not; a reversed edge is one. Lower is
//! better, 0 is best.
//!
//! # Why it matters
//! It is the gauge of the control: on a dataset whose graph is empty (`edges = 0`) every edge found
//! is false, and F1 has no value there.
//!
//! # Promise
//! It always has a value. Both graphs must have the same variables in the same order. The unit is
//! the replicate: one graph is one observation, however many windows it was learnt from.
//!
//! # Example
//! ```toml
//! [dataset.nothing-to-find]
//! use   = "temporal-sem"
//! edges = 0
//!
//! [analysis]
//! gauges = ["false-edges"]
//! ```
//!
//! # Reference
//! Benjamini and Hochberg, *JRSS B* 57 (1995) 289–300, whose V it is.

use duress_core::answer::GraphAnswer;
use duress_core::part::{Build, Part};
use duress_graph::measure::Overlap;

use crate::causal::frame::graph_gauge::GraphGauge;

/// The part.
pub static PART: Part = Part {
    name: "false-edges",
    version: 1,
    fields: &[],
    source: include_str!("false_edges.rs"),
    build: Build::Gauge(|_| {
        let read = |truth: &_, answer: &GraphAnswer| {
            Ok(Overlap::directed(truth, &answer.graph)?.false_found as f64)
        };
        Ok(GraphGauge::count("directed edges of the answer that the truth has not", read).built())
    }),
};
