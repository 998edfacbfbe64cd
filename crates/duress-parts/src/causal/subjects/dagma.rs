//! Learns a graph by DAGMA: a sparse linear model led to one without cycles along a path of
//! log-determinants.
//!
//! # What it does
//! Every variable is given mean 0 and variance 1 within each regime. Made for independent rows, it
//! is given each step beside the one before, as twice the variables, and told that nothing acts
//! backwards: an edge of the summary graph is a weight from either copy of one variable to the
//! later copy of another. Windows of one step are independent rows as they are. It minimises μ
//! (half the squared error + `penalty` times the absolute weights) − log det(sI − W∘W) for the
//! authors' five pairs of μ and s, each from the last; the descent is OWL-QN where theirs is Adam.
//! Edges are as many weights as hold against those learnt from shuffled windows at `false-share` (a
//! permutation null: 20 more fits at 0.05), or, with `null = "none"`, those above `threshold`, the
//! authors' way; strongest first, none that closes a cycle unless `acyclic = false`; with `stable =
//! 0.6` only those chosen in 60 % of 50 random halves of the windows. Hidden values are left out
//! pair by pair from the moments, which are mended where no data could have them.
//!
//! # Why it matters
//! The successor of NOTEARS, faster and better at small weights, with the same linear model: where
//! one fails for want of a bend in its lines, so does the other.
//!
//! # Promise
//! With `acyclic = true` the graph has no cycle. A variable that is never seen to vary, or too few
//! observed pairs, are a failure with the variable's name, not an empty graph.
//!
//! # Example
//! ```toml
//! [subject.dagma]
//! use = "dagma"
//! on  = "sensors"
//! ```
//!
//! # Reference
//! Bello, Aragam and Ravikumar, "DAGMA: learning DAGs via M-matrices", NeurIPS 2022.

use duress_core::part::{Build, Part};
use duress_graph::learners::dagma;

use crate::causal::frame::edge_selection::{of_independent_rows, weight_keys};

/// The part.
pub static PART: Part = Part {
    name: "dagma",
    version: 2,
    fields: &weight_keys("0.03"),
    source: include_str!("dagma.rs"),
    build: Build::Subject(|params| Ok(of_independent_rows(params, "DAGMA", dagma::fit))),
};
