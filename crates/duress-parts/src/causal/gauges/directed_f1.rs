//! F1 of the edges found, with their direction.
//!
//! # What it does
//! Counts the edges that both graphs have, in the same direction; a reversed edge is one false and
//! one missed. F1 is 2·found / (2·found + false + missed), the harmonic mean of precision and
//! recall; both are shown beside it. Higher is better, 1 is best. Self-loops do not count.
//!
//! # Why it matters
//! Whether the graph says who acts on whom: what an intervention would need.
//!
//! # Promise
//! An empty answer to a truth with edges reads 0. Where the truth has no edge there is no value,
//! whatever the answer: one false edge and a hundred would both read 0; `false-edges` counts them.
//! Both graphs must have the same variables in the same order. The unit is the replicate: one graph
//! is one observation, however many windows it was learnt from.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["directed-f1"]
//! ```
//!
//! # Reference
//! van Rijsbergen, *Information Retrieval*, 2nd ed., 1979, chapter 7.

use duress_core::part::{Build, Part};
use duress_graph::measure::Overlap;

use crate::causal::frame::graph_gauge::GraphGauge;

/// The part.
pub static PART: Part = Part {
    name: "directed-f1",
    version: 1,
    fields: &[],
    source: include_str!("directed_f1.rs"),
    build: Build::Gauge(|_| {
        let convention = "F1 of directed edges; a reversed edge is one false and one missed; undefined where the truth has no edge";
        let f1 = GraphGauge::share(convention, |truth, answer| {
            Overlap::directed(truth, &answer.graph)?.f1()
        });
        Ok(GraphGauge {
            beside: Some(Overlap::directed),
            ..f1
        }
        .built())
    }),
};
