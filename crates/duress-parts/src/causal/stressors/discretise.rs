//! Makes some variables discrete.
//!
//! # What it does
//! With the probability that the severity says, drawn once for the data set, a variable says only which
//! of `levels` equally frequent levels its value is in, as the mean of that level.
//!
//! # Why it matters
//! Real tables mix numbers with switches, grades and counts. A coarse variable explains away less than
//! the fine one did, and what it no longer explains goes to others.
//!
//! # Severity
//! The probability that a variable is made discrete, from 0 to 1.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. What is hidden stays hidden.
//! Rungs nest: what is
//! discrete at 25 % is at 50 %.
//!
//! # Example
//! ```toml
//! [ladder.discretise]
//! use        = "discretise"
//! on         = "both"
//! severities = [0.25, 0.5, 1]
//! levels     = 3
//! ```
//!
//! # Reference
//! B. Andrews, J. Ramsey and G. F. Cooper, "Scoring Bayesian networks of mixed variables", *Int. J. Data
//! Science and Analytics* 6 (2018) 3–18.

use duress_core::part::{Build, Field, Part, Takes};
use duress_core::stressor::Monotone;
use duress_graph::coding;

use crate::causal::frame::window_corruption::WindowCorruption;

/// The part.
pub static PART: Part = Part {
    name: "discretise",
    version: 1,
    fields: &[Field {
        name: "levels",
        takes: Takes::Whole(2, 1000),
        doc: "how many levels a discrete variable has",
        default: Some("3"),
    }],
    source: include_str!("discretise.rs"),
    build: Build::Stressor(|params| {
        let levels = params.count("levels");
        Ok(WindowCorruption::of_all(
            "probability that a variable is made discrete",
            1.0,
            Monotone::EachItem,
            move |windows, _, share, seed| {
                coding::discretise(windows, share, levels, seed);
                Ok(())
            },
        ))
    }),
};
