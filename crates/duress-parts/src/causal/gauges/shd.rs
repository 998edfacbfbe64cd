//! Structural Hamming distance: how many edges must be added, removed or reversed.
//!
//! # What it does
//! Counts the pairs of variables on which the learnt graph and the true one differ, so a reversed
//! edge costs 1. With `reversal-cost = 2`, or under the name `shd-reversal-2`, it counts the cells
//! in which the two adjacency matrices differ. Lower is better, 0 is best. Self-loops do not count.
//!
//! # Why it matters
//! It is in edges, so it says how much work is left, and it has a value where F1 has none: on a
//! truth without edges it counts the false ones. It grows with the number of edges, and an empty
//! answer can look good on a sparse truth: read it beside F1.
//!
//! # Promise
//! A distance of 0 means the same graph. Both graphs must have the same variables in the same
//! order. The unit is the replicate: one graph is one observation, however many windows it was
//! learnt from.
//!
//! # Example
//! ```toml
//! [gauge.shd-2]
//! use           = "shd"
//! reversal-cost = 2
//!
//! [analysis]
//! gauges = ["shd", "shd-2"]
//! ```
//!
//! # Reference
//! Tsamardinos, Brown and Aliferis, "The max-min hill-climbing Bayesian network structure learning
//! algorithm", *Machine Learning* 65 (2006) 31–78.

use duress_core::part::{Build, Field, Part, Takes};

use crate::causal::frame::graph_gauge::GraphGauge;

/// The part.
pub static PART: Part = Part {
    name: "shd",
    version: 1,
    fields: &[Field {
        name: "reversal-cost",
        takes: Takes::Whole(1, 2),
        doc: "what a reversed edge costs",
        default: Some("1"),
    }],
    source: include_str!("shd.rs"),
    build: Build::Gauge(|params| {
        let once = params.whole("reversal-cost") == 1;
        Ok(if once {
            GraphGauge::shd()
        } else {
            GraphGauge::shd_reversal_2()
        }
        .built())
    }),
};
