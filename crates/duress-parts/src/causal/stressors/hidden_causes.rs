//! Adds causes that nobody measures.
//!
//! # What it does
//! `causes` pairs of variables are drawn for the data set. Each pair hears an autoregression (0.7, unit
//! variance) of its own with the severity as weight: one of the two at once, the other a step later.
//!
//! # Why it matters
//! No data set has every cause in it. One that is heard by two variables, a step apart, is the same to
//! the eye as an edge between them.
//!
//! # Severity
//! The weight of the hidden causes, from 0 to 100. In the data's own units: datasets
//! of windows are standardised unless told not to be, so a standard deviation of the signal is 1.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. What is hidden stays hidden.
//! The truth stays that of the
//! measured variables: an edge between two that only share a cause is a false one. Rungs are the same
//! causes turned up.
//!
//! # Example
//! ```toml
//! [ladder.hidden-causes]
//! use        = "hidden-causes"
//! on         = "both"
//! severities = [0.25, 0.5, 1]
//! causes     = 3
//! ```
//!
//! # Reference
//! J. Runge, "Causal network reconstruction from time series: from theoretical assumptions to practical
//! estimation", *Chaos* 28 (2018) 075310, section on causal sufficiency.

use duress_core::part::{Build, Field, Part, Takes};
use duress_core::stressor::Monotone;
use duress_graph::surroundings;

use crate::causal::frame::window_corruption::WindowCorruption;

/// The part.
pub static PART: Part = Part {
    name: "hidden-causes",
    version: 1,
    fields: &[Field {
        name: "causes",
        takes: Takes::Whole(1, 1000),
        doc: "how many hidden causes there are, each heard by two variables",
        default: Some("3"),
    }],
    source: include_str!("hidden_causes.rs"),
    build: Build::Stressor(|params| {
        let causes = params.count("causes");
        Ok(WindowCorruption::of_all(
            "weight of the hidden causes, in units of the signal",
            100.0,
            Monotone::EachItem,
            move |windows, pressed, size, seed| {
                let of_window = |window: usize| pressed.items.seed(window, seed).draws();
                surroundings::hidden_causes(windows, size, causes, seed, of_window);
                Ok(())
            },
        ))
    }),
};
