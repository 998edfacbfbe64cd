//! Learns a graph by NOTEARS: a sparse linear model whose cycles are squeezed out by an augmented
//! Lagrangian.
//!
//! # What it does
//! Every variable is given mean 0 and variance 1 within each regime. Made for independent rows, it
//! is given each step beside the one before, as twice the variables, and told that nothing acts
//! backwards: an edge of the summary graph is a weight from either copy of one variable to the
//! later copy of another. Windows of one step are independent rows as they are. It minimises half
//! the squared error plus `penalty` times the absolute weights, subject to tr exp(W∘W) = d, as its
//! authors do, with their thresholds; the descent is OWL-QN. Edges are as many weights as hold
//! against those learnt from shuffled windows at `false-share` (a permutation null: 20 more fits at
//! 0.05), or, with `null = "none"`, those above `threshold`, the authors' way; strongest first,
//! none that closes a cycle unless `acyclic = false`; with `stable = 0.6` only those chosen in 60 %
//! of 50 random halves of the windows. Hidden values are left out pair by pair from the moments,
//! which are mended where no data could have them.
//!
//! # Why it matters
//! The learner every continuous method is compared with. On raw simulated data it profits from
//! variances that grow along the graph; standardised, as here, much of that is gone, and the report
//! shows what is left.
//!
//! # Promise
//! With `acyclic = true` the graph has no cycle. A variable that is never seen to vary, or too few
//! observed pairs, are a failure with the variable's name, not an empty graph.
//!
//! # Example
//! ```toml
//! [subject.notears]
//! use = "notears"
//! on  = "sensors"
//! ```
//!
//! # Reference
//! Zheng, Aragam, Ravikumar and Xing, "DAGs with NO TEARS", NeurIPS 2018; Reisach, Seiler and
//! Weichwald, NeurIPS 2021.

use duress_core::part::{Build, Part};
use duress_graph::learners::notears;

use crate::causal::frame::edge_selection::{of_independent_rows, weight_keys};

/// The part.
pub static PART: Part = Part {
    name: "notears",
    version: 1,
    fields: &weight_keys("0.1"),
    source: include_str!("notears.rs"),
    build: Build::Subject(|params| Ok(of_independent_rows(params, "NOTEARS", notears::fit))),
};
