//! How precise a learner is along its own ranking of edges.
//!
//! # What it does
//! Average precision of the scores over all ordered pairs: the precision at each score, weighed by
//! the recall gained there, pairs with the same score taken together. Which edges were chosen does
//! not matter. Higher is better, 1 is best; chance is the share of ordered pairs that are edges.
//!
//! # Why it matters
//! In a sparse graph a ranking can have a fine AUROC and a false edge for every true one at the
//! top. This sees it.
//!
//! # Promise
//! Undefined where the truth has no edge. Scores are taken as they are: higher means surer. Both
//! graphs must have the same variables in the same order. The unit is the replicate: one graph is
//! one observation, however many windows it was learnt from.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["edge-auprc"]
//! ```
//!
//! # Reference
//! Davis and Goadrich, The relationship between precision-recall and ROC curves, ICML 2006.

use duress_core::part::{Build, Part};
use duress_graph::ranking::Ranking;

use crate::causal::frame::graph_gauge::GraphGauge;

/// The part.
pub static PART: Part = Part {
    name: "edge-auprc",
    version: 1,
    fields: &[],
    source: include_str!("edge_auprc.rs"),
    build: Build::Gauge(|_| {
        let convention =
            "average precision of the scores over all ordered pairs, without interpolation";
        let read = |truth: &_, answer: &_| Ranking::directed(truth, answer)?.average_precision();
        Ok(GraphGauge::share(convention, read).built())
    }),
};
