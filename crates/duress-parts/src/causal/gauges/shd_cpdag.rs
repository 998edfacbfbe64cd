//! Structural Hamming distance of what independence alone can tell: of the CPDAGs.
//!
//! # What it does
//! Turns both graphs into the graph of their class (CPDAG: arrows where all graphs with the same
//! independences agree, lines where they do not) and counts the pairs of variables on which the two
//! differ. Lower is better, 0 is best.
//!
//! # Why it matters
//! On data from which a direction cannot be told, such as linear Gaussian effects within a step, a
//! learner must not be blamed for a direction that nobody can know. It forgives exactly those.
//!
//! # Promise
//! Two graphs of one class read 0. A graph with a cycle, of which an edge both ways is the shortest,
//! is in no class: the reason is said. Both graphs must have the same variables in the same order. The unit is the replicate: one graph is
//! one observation, however many windows it was learnt from.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["shd-cpdag"]
//! ```
//!
//! # Reference
//! Andersson, Madigan and Perlman, *Annals of Statistics* 25 (1997) 505–541.

use duress_core::answer::GraphAnswer;
use duress_core::part::{Build, Part};
use duress_graph::measure::class_distance;

use crate::causal::frame::graph_gauge::GraphGauge;

/// The part.
pub static PART: Part = Part {
    name: "shd-cpdag",
    version: 1,
    fields: &[],
    source: include_str!("shd_cpdag.rs"),
    build: Build::Gauge(|_| {
        let convention =
            "pairs of variables on which the CPDAGs differ; undefined for a graph with a cycle";
        let read =
            |truth: &_, answer: &GraphAnswer| Ok(class_distance(truth, &answer.graph)? as f64);
        Ok(GraphGauge::count(convention, read).built())
    }),
};
