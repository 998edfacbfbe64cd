//! Structural Hamming distance: how many edges must be added, removed or reversed.
//!
//! # What it does
//! Counts the pairs of variables on which the learnt graph and the true one differ, so a reversed edge costs 1. With
//! `reversal-cost = 2` it counts the cells in which the two adjacency matrices differ. Lower is better, 0 is best. Self-loops
//! do not count.
//!
//! # Why it matters
//! It is in edges, so it says how much work is left, and it has a value where F1 has none: on a truth without edges it counts
//! the false ones. It grows with the number of edges, and an empty answer can look good on a sparse truth: read it beside F1.
//!
//! # Promise
//! A distance of 0 means the same graph. Both graphs must have the same variables in the same order. The unit is the replicate:
//! one graph is one observation, however many windows it was learnt from.
//!
//! # Example
//! ```toml
//! [gauge.shd-2]
//! use           = "shd"
//! reversal-cost = 2
//!
//! [analysis]
//! gauges = ["shd", "shd-2"]
//! ```
//!
//! # Reference
//! Tsamardinos, Brown and Aliferis, "The max-min hill-climbing Bayesian network structure learning algorithm", *Machine
//! Learning* 65 (2006) 31–78.

use std::sync::Arc;

use duress_core::answer::Answers;
use duress_core::gauge::{CellGauge, Direction, Gauge, Meter, Scale, Undefined, Unit, Whole};
use duress_core::part::{Build, Field, Part, Takes};
use duress_core::question::Question;
use duress_core::truth::Truth;
use duress_graph::measure::{Reversal, graphs, structural_hamming_distance};

/// The part.
pub static PART: Part = Part {
    name: "shd",
    version: 1,
    fields: &[Field {
        name: "reversal-cost",
        takes: Takes::Whole(1, 2),
        doc: "what a reversed edge costs",
        default: Some("1"),
    }],
    source: include_str!("shd.rs"),
    build: Build::Gauge(|params| {
        let reversal = if params.whole("reversal-cost") == 1 { Reversal::One } else { Reversal::Two };
        Ok(Gauge::Cell(Box::new(Shd { reversal })))
    }),
};

/// Structural Hamming distance.
pub struct Shd {
    reversal: Reversal,
}

impl CellGauge for Shd {
    fn scale(&self) -> Scale {
        let convention = match self.reversal {
            Reversal::One => "pairs of variables that differ: a reversal costs 1",
            Reversal::Two => "cells of the adjacency matrix that differ: a reversal costs 2",
        };
        Scale {
            reads: Question::Graph,
            direction: Direction::Lower,
            best: Some(0.0),
            unit: Unit::Replicates,
            convention: convention.into(),
            compat: false,
        }
    }

    fn open(&self, truth: &Truth, answers: &Answers) -> Result<Arc<dyn Meter>, Undefined> {
        let (truth, answer) = graphs(truth, answers)?;
        Ok(Arc::new(Whole(structural_hamming_distance(truth, answer, self.reversal)? as f64)))
    }
}
