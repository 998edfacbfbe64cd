//! Learns a graph from a linear model of hidden states, fitted by EM with a Kalman filter that
//! skips what is hidden.
//!
//! # What it does
//! Every variable is given mean 0 and variance 1 within each regime. A state that follows the step
//! before is seen through noise: x(t) = A x(t−1) + w, y = x + v. A Kalman filter takes in observed
//! values one at a time and skips hidden ones, a smoother looks back over the window, and EM sets A
//! and the noises. A coefficient of A that is far from zero in standard errors is an edge; the
//! errors come from how far single windows pull it, so that noise and hidden values are paid for.
//! Edges are chosen as in `lagged-regression`: Benjamini–Hochberg at `false-share` against the
//! `null`, strongest first, none that closes a cycle unless `acyclic = false`; `stable` asks that
//! they come back in halves of the windows.
//!
//! # Why it matters
//! The linear rival for noise and missing values: where regression on what is seen shrinks and
//! blurs, this one has a model of why.
//!
//! # Promise
//! With `acyclic = true` the graph has no cycle. A variable that is never seen to vary, windows of
//! one step, or too few observed pairs are a failure with the variable's name, not an empty graph.
//!
//! # Example
//! ```toml
//! [subject.em-kalman]
//! use = "em-kalman"
//! on  = "sensors"
//! ```
//!
//! # Reference
//! Shumway and Stoffer, *Journal of Time Series Analysis* 3 (1982) 253–264; Efron, *JASA* 99 (2004)
//! 96–104.

use duress_core::part::{Build, Part};
use duress_graph::learners::em_kalman;

use crate::causal::frame::edge_selection::{self, ACYCLIC, FALSE_SHARE, NULL, SCALE, STABLE};

/// The part.
pub static PART: Part = Part {
    name: "em-kalman",
    version: 2,
    fields: &[FALSE_SHARE, NULL, ACYCLIC, STABLE, SCALE],
    source: include_str!("em_kalman.rs"),
    build: Build::Subject(|params| {
        let selection = edge_selection::by_errors(params);
        Ok(edge_selection::scoring(
            params,
            selection,
            "coefficient of hidden states at lag 1",
            em_kalman::score,
        ))
    }),
};
