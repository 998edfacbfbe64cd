//! F1 of as many of the strongest undirected edges as the truth has.
//!
//! # What it does
//! Takes the K pairs of variables with the highest scores (a pair has the higher of its two), K
//! being the number of pairs that the truth joins, and gives their F1. Where the last place is
//! tied, the mean over the ties. Higher is better, 1 is best.
//!
//! # Why it matters
//! Papers choose the K strongest edges with K from the truth. No user has that K: the number says
//! how good the ranking is, not how good the graph is. It is here under a name that says so, to be
//! compared with papers and never with `skeleton-f1`.
//!
//! # Promise
//! A learner is not told K; only this gauge, which opens the truth anyway, uses it. Undefined where
//! the truth has no edge. Both graphs must have the same variables in the same order. The unit is
//! the replicate: one graph is one observation, however many windows it was learnt from.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["skeleton-f1-oracle-k"]
//! ```
//!
//! # Reference
//! van Rijsbergen, *Information Retrieval*, 2nd ed., 1979, chapter 7 (R-precision).

use duress_core::part::{Build, Part};
use duress_graph::ranking::Ranking;

use crate::causal::frame::graph_gauge::GraphGauge;

/// The part.
pub static PART: Part = Part {
    name: "skeleton-f1-oracle-k",
    version: 1,
    fields: &[],
    source: include_str!("skeleton_f1_oracle_k.rs"),
    build: Build::Gauge(|_| {
        let convention = "F1 of the K highest-scored pairs, K taken from the truth: an oracle";
        let read = |truth: &_, answer: &_| Ranking::skeleton(truth, answer)?.f1_at_the_true_count();
        Ok(GraphGauge::share(convention, read).built())
    }),
};
