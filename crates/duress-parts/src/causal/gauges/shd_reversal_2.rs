//! Structural Hamming distance in which a reversed edge costs 2.
//!
//! # What it does
//! Counts the cells in which the adjacency matrices of the learnt graph and of the true one differ:
//! an edge too many or too few costs 1, a reversed one 2. Lower is better, 0 is best. It is `shd`
//! with `reversal-cost = 2`, under a name that says so.
//!
//! # Why it matters
//! Papers use both conventions and rarely say which; a number is comparable only with its own kind.
//!
//! # Promise
//! It is never below `shd` and never above twice it. Both graphs must have the same variables in
//! the same order. The unit is the replicate: one graph is one observation, however many windows it
//! was learnt from.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["shd", "shd-reversal-2"]
//! ```
//!
//! # Reference
//! Tsamardinos, Brown and Aliferis, *Machine Learning* 65 (2006) 31–78, whose own convention is
//! `shd`.

use duress_core::part::{Build, Part};

use crate::causal::frame::graph_gauge::GraphGauge;

/// The part.
pub static PART: Part = Part {
    name: "shd-reversal-2",
    version: 1,
    fields: &[],
    source: include_str!("shd_reversal_2.rs"),
    build: Build::Gauge(|_| Ok(GraphGauge::shd_reversal_2().built())),
};
