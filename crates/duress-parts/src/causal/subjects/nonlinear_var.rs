//! Learns a graph by regressing each variable on a small basis of all variables one step before.
//!
//! # What it does
//! Every variable is given mean 0 and variance 1 within each regime. Each variable is then
//! regressed on the first four Hermite polynomials of every variable one step before (values drawn
//! in to ±3), and whether a variable matters is asked of its four coefficients together: a Wald
//! test, written as the |z| of the same p. Hidden values are left out pair by pair, and the
//! standard errors are those of that estimator, summed by window. Edges are chosen without the
//! truth: Benjamini–Hochberg at `false-share` against a normal null with the spread the scores show
//! (`null = "empirical"`), a standard one, or the scores of shuffled windows (`"permutation"`),
//! strongest first, none that closes a cycle unless `acyclic = false`. With `stable = 0.6` an edge
//! must also be chosen in 60 % of 50 random halves of the windows.
//!
//! # Why it matters
//! The rival for curved effects: it sees the bend of an even mechanism that every line is blind to.
//! Whatever is claimed for a neural learner has to stand against this first.
//!
//! # Promise
//! With `acyclic = true` the graph has no cycle. A variable that is never seen to vary, windows of
//! one step, or too few steps for four coefficients per variable are a failure with its reason, not
//! an empty graph.
//!
//! # Example
//! ```toml
//! [subject.nonlinear-var]
//! use = "nonlinear-var"
//! on  = "sensors"
//! ```
//!
//! # Reference
//! Granger, *Econometrica* 37 (1969) 424–438; Liang and Zeger, *Biometrika* 73 (1986) 13–22; Efron,
//! *JASA* 99 (2004) 96–104.

use duress_core::part::{Build, Part};
use duress_graph::learners::nonlinear_var;

use crate::causal::frame::edge_selection::{self, ACYCLIC, FALSE_SHARE, NULL, SCALE, STABLE};

/// The part.
pub static PART: Part = Part {
    name: "nonlinear-var",
    version: 1,
    fields: &[FALSE_SHARE, NULL, ACYCLIC, STABLE, SCALE],
    source: include_str!("nonlinear_var.rs"),
    build: Build::Subject(|params| {
        let selection = edge_selection::by_errors(params);
        Ok(edge_selection::scoring(
            params,
            selection,
            "four coefficients at lag 1 together",
            nonlinear_var::regress,
        ))
    }),
};
