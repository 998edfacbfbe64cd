//! Learns a graph by regressing each variable on a small basis of what a Kalman filter knows of all
//! variables one step before.
//!
//! # What it does
//! Every variable is given mean 0 and variance 1 within each regime, outliers drawn in unless `scale =
//! "moments"`. A linear model of hidden states, two rounds of EM from a guess that corrects for noise,
//! gives every step a mean and a variance, seen or not. Each variable is regressed on what the first
//! four Hermite polynomials of every state one step before are expected to be, and whether a variable
//! matters is asked of its four coefficients together: a Wald test with errors summed by window,
//! written as the |z| of the same p. Edges are chosen as in `nonlinear-var`.
//!
//! # Why it matters
//! It has a model of noise and gaps and sees bends as well: the base that a learner with more parts
//! has to beat. Where a fifth of the values is left it finds most of what regression on what is seen
//! misses.
//!
//! # Promise
//! With `acyclic = true` the graph has no cycle. A variable that is never seen to vary, windows of one
//! step, or too few observed pairs are a failure with its reason, not an empty graph. Nothing is taken
//! from which values are hidden.
//!
//! # Example
//! ```toml
//! [subject.kalman-basis]
//! use = "kalman-basis"
//! on  = "sensors"
//! ```
//!
//! # Reference
//! Shumway and Stoffer, *Journal of Time Series Analysis* 3 (1982) 253–264; Carroll, Ruppert,
//! Stefanski and Crainiceanu, *Measurement Error in Nonlinear Models*, 2006, on regression calibration.

use duress_core::part::{Build, Field, Part};
use duress_graph::learners::kalman_basis;

use crate::causal::frame::edge_selection::{self, ACYCLIC, FALSE_SHARE, NULL, SCALE, STABLE};

/// The part.
pub static PART: Part = Part {
    name: "kalman-basis",
    version: 1,
    fields: &[
        FALSE_SHARE,
        NULL,
        ACYCLIC,
        STABLE,
        Field {
            default: Some("robust"),
            ..SCALE
        },
    ],
    source: include_str!("kalman_basis.rs"),
    build: Build::Subject(|params| {
        let selection = edge_selection::by_errors(params);
        Ok(edge_selection::scoring(
            params,
            selection,
            "four coefficients of filtered states at lag 1 together",
            kalman_basis::regress,
        ))
    }),
};
