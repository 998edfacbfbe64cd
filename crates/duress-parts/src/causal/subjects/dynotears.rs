//! Learns a graph by DYNOTEARS: each variable on the others now, without a cycle, and on all one
//! step before.
//!
//! # What it does
//! Every variable is given mean 0 and variance 1 within each regime. Minimises half the squared
//! error of each variable given the others now and all one step before, plus `penalty-now` and
//! `penalty-before` times the absolute weights, subject to there being no cycle among the weights
//! of the same step (NOTEARS' constraint and schedule). An edge of the summary graph is a weight
//! now or one step before. Edges are as many weights as hold against those learnt from shuffled
//! windows at `false-share` (a permutation null: 20 more fits at 0.05), or, with `null = "none"`,
//! those above `threshold`, the authors' way; strongest first, none that closes a cycle unless
//! `acyclic = false`; with `stable = 0.6` only those chosen in 60 % of 50 random halves of the
//! windows. Hidden values are left out pair by pair from the moments, which are mended where no
//! data could have them.
//!
//! # Why it matters
//! NOTEARS as its authors' successors made it for time series: it need not model the past, only
//! learn from it.
//!
//! # Promise
//! With `acyclic = true` the graph has no cycle. A variable that is never seen to vary, windows of
//! one step, or too few observed pairs are a failure with the variable's name, not an empty graph.
//!
//! # Example
//! ```toml
//! [subject.dynotears]
//! use = "dynotears"
//! on  = "sensors"
//! ```
//!
//! # Reference
//! Pamfil et al., "DYNOTEARS: structure learning from time-series data", AISTATS 2020.

use duress_core::part::{Build, Part};
use duress_graph::learners::dynotears::{self, Penalty};

use crate::causal::frame::edge_selection::{
    self, ACYCLIC, FALSE_SHARE, SCALE, STABLE, THRESHOLD, WEIGHT_NULL, penalty,
};

/// The part.
pub static PART: Part = Part {
    name: "dynotears",
    version: 1,
    fields: &[
        penalty(
            "penalty-now",
            "what is added for each unit of weight within a step",
        ),
        penalty(
            "penalty-before",
            "what is added for each unit of weight of the step before",
        ),
        WEIGHT_NULL,
        THRESHOLD,
        FALSE_SHARE,
        ACYCLIC,
        STABLE,
        SCALE,
    ],
    source: include_str!("dynotears.rs"),
    build: Build::Subject(|params| {
        let penalty = Penalty {
            now: params.number("penalty-now"),
            before: params.number("penalty-before"),
        };
        let selection = edge_selection::by_weights(params);
        Ok(edge_selection::scoring(
            params,
            selection,
            "DYNOTEARS",
            move |panel| dynotears::score(panel, penalty),
        ))
    }),
};
