//! A control that learns a graph from which values are hidden, not from how variables act on each
//! other.
//!
//! # What it does
//! Regresses whether each variable is observed on the values of all others at the same step. A
//! coefficient that is far from zero in standard errors is an edge, chosen as in
//! `lagged-regression`. Where nothing is hidden the masks say nothing, and the answer is a graph
//! without edges.
//!
//! # Why it matters
//! Where values are hidden because of the causal parents of a variable, the masks alone give the
//! graph away. If this control scores well on a dataset, no learner's score on it is evidence that
//! a cause was learnt.
//!
//! # Promise
//! Reads the values only to predict masks. With `acyclic = true` the graph has no cycle. A variable
//! that is never seen to vary, or too few observed pairs, are a failure with the variable's name.
//!
//! # Example
//! ```toml
//! [subject.mask-only]
//! use = "mask-only"
//! on  = "sensors"
//! ```
//!
//! # Reference
//! Mohan and Pearl, *JASA* 116 (2021) 1023–1037, on what a missingness graph reveals.

use duress_core::part::{Build, Part};
use duress_graph::learners::mask_only;

use crate::causal::frame::edge_selection::{self, ACYCLIC, FALSE_SHARE, NULL, SCALE, STABLE};

/// The part.
pub static PART: Part = Part {
    name: "mask-only",
    version: 1,
    fields: &[FALSE_SHARE, NULL, ACYCLIC, STABLE, SCALE],
    source: include_str!("mask_only.rs"),
    build: Build::Subject(|params| {
        let selection = edge_selection::by_errors(params);
        Ok(edge_selection::scoring(
            params,
            selection,
            "masks on values of the same step",
            mask_only::regress,
        ))
    }),
};
