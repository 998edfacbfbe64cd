//! Of the true edges whose ends are joined, the share that points the right way.
//!
//! # What it does
//! Takes the true edges between variables that the answer joins too, in either direction, and gives
//! the share that it points as the truth does. An edge that goes both ways in the answer points
//! nowhere and counts as wrong. Higher is better, 1 is best.
//!
//! # Why it matters
//! It tells apart not seeing an edge and not knowing its direction, which F1 mixes.
//!
//! # Promise
//! Undefined where the answer joins no two variables that the truth joins. Both graphs must have
//! the same variables in the same order. The unit is the replicate: one graph is one observation,
//! however many windows it was learnt from.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["orientation-accuracy"]
//! ```
//!
//! # Reference
//! Ramsey et al., *International Journal of Data Science and Analytics* 3 (2017) 121–129, whose
//! "arrowhead precision" is near it.

use duress_core::answer::GraphAnswer;
use duress_core::part::{Build, Part};
use duress_graph::measure::orientation_accuracy;

use crate::causal::frame::graph_gauge::GraphGauge;

/// The part.
pub static PART: Part = Part {
    name: "orientation-accuracy",
    version: 1,
    fields: &[],
    source: include_str!("orientation_accuracy.rs"),
    build: Build::Gauge(|_| {
        let convention = "share of the true edges joined in the answer that point as in the truth; both ways is wrong";
        let read = |truth: &_, answer: &GraphAnswer| orientation_accuracy(truth, &answer.graph);
        Ok(GraphGauge::share(convention, read).built())
    }),
};
