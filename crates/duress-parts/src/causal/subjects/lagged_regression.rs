//! Learns a graph by regressing each variable on all variables one step before.
//!
//! # What it does
//! Every variable is given mean 0 and variance 1 within each regime, so that a regime's gain and
//! offset make no edges. Then each variable is regressed on the whole of the step before (VAR(1),
//! Granger): a coefficient that is far from zero in standard errors is an edge. Hidden values are
//! left out pair by pair, and the standard errors are those of that estimator, summed by window.
//! Edges are chosen without the truth: Benjamini–Hochberg at `false-share` over all ordered pairs,
//! against a normal null with the spread the scores themselves show (`null = "empirical"`), a
//! standard one, or the scores of shuffled windows (`"permutation"`), strongest first; an edge that
//! would close a cycle is left out unless `acyclic = false`. With `stable = 0.6` an edge must also
//! be chosen in 60 % of 50 random halves of the windows. The scores are |z|.
//!
//! # Why it matters
//! The rival every structure learner must beat. It is nearly perfect on lagged linear data and
//! blind to an effect whose line is flat, such as that of an even mechanism.
//!
//! # Promise
//! With `acyclic = true` the graph has no cycle. A variable that is never seen to vary, windows of
//! one step, or too few observed pairs are a failure with the variable's name, not an empty graph.
//!
//! # Example
//! ```toml
//! [subject.granger]
//! use = "lagged-regression"
//! on  = "sensors"
//! ```
//!
//! # Reference
//! Granger, *Econometrica* 37 (1969) 424–438; Liang and Zeger, *Biometrika* 73 (1986) 13–22;
//! Benjamini and Hochberg, *JRSS B* 57 (1995) 289–300; Efron, *JASA* 99 (2004) 96–104.

use duress_core::part::{Build, Part};
use duress_graph::learners::lagged_regression;

use crate::causal::frame::edge_selection::{self, ACYCLIC, FALSE_SHARE, NULL, SCALE, STABLE};

/// The part.
pub static PART: Part = Part {
    name: "lagged-regression",
    version: 1,
    fields: &[FALSE_SHARE, NULL, ACYCLIC, STABLE, SCALE],
    source: include_str!("lagged_regression.rs"),
    build: Build::Subject(|params| {
        let selection = edge_selection::by_errors(params);
        Ok(edge_selection::scoring(
            params,
            selection,
            "coefficient at lag 1",
            lagged_regression::regress,
        ))
    }),
};
