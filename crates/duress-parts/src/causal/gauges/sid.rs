//! Structural intervention distance: for how many pairs the learnt graph would adjust wrongly.
//!
//! # What it does
//! For each ordered pair of variables it asks whether the parents of the first in the learnt graph,
//! adjusted for, give its effect on the second in the true graph, and counts the pairs for which
//! they do not. Lower is better, 0 is best, d(d − 1) is the most.
//!
//! # Why it matters
//! It says what a graph is worth for its purpose: predicting interventions. A missed edge to a leaf
//! costs little, a reversed edge at a root a great deal; an edge too many costs nothing here as
//! long as it is harmless, so read it beside `shd`.
//!
//! # Promise
//! The true graph reads 0, and so does every graph that adds edges along its order. A graph with a
//! cycle has no value: the reason is said. Both graphs must have the same variables in the same
//! order. The unit is the replicate: one graph is one observation, however many windows it was
//! learnt from.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["sid"]
//! ```
//!
//! # Reference
//! Peters and Bühlmann, Structural intervention distance for evaluating causal graphs, *Neural
//! Computation* 27 (2015) 771–799.

use duress_core::answer::GraphAnswer;
use duress_core::part::{Build, Part};
use duress_graph::sid::structural_intervention_distance;

use crate::causal::frame::graph_gauge::GraphGauge;

/// The part.
pub static PART: Part = Part {
    name: "sid",
    version: 1,
    fields: &[],
    source: include_str!("sid.rs"),
    build: Build::Gauge(|_| {
        let convention = "ordered pairs whose effect is adjusted for wrongly; undefined for a graph with a cycle";
        let read = |truth: &_, answer: &GraphAnswer| {
            Ok(structural_intervention_distance(truth, &answer.graph)? as f64)
        };
        Ok(GraphGauge::count(convention, read).built())
    }),
};
