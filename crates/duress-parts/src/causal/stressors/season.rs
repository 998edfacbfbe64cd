//! Adds a season to every variable.
//!
//! # What it does
//! A sine with a period of `period` steps. Variables have phases of their own, the same in all windows;
//! windows begin anywhere in it.
//!
//! # Why it matters
//! Day and night, tides, shifts. A common rhythm ahead by a phase passes for a cause.
//!
//! # Severity
//! The amplitude, from 0 to 100. In the data's own units: datasets
//! of windows are standardised unless told not to be, so a standard deviation of the signal is 1.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. What is hidden stays hidden.
//! Rungs are the same sines turned up.
//!
//! # Example
//! ```toml
//! [ladder.season]
//! use        = "season"
//! on         = "both"
//! severities = [0.5, 1, 2]
//! period     = 12
//! ```
//!
//! # Reference
//! P. J. Brockwell and R. A. Davis, *Time Series: Theory and Methods*, 2nd ed., 1991, section 1.4.

use duress_core::part::{Build, Field, Part, Takes};
use duress_core::stressor::Monotone;
use duress_graph::surroundings;

use crate::causal::frame::window_corruption::WindowCorruption;

/// The part.
pub static PART: Part = Part {
    name: "season",
    version: 1,
    fields: &[Field {
        name: "period",
        takes: Takes::Number(1.0, 1e6),
        doc: "how many steps until the season comes back",
        default: Some("12"),
    }],
    source: include_str!("season.rs"),
    build: Build::Stressor(|params| {
        let period = params.number("period");
        Ok(WindowCorruption::of_all(
            "amplitude, in units of the signal",
            100.0,
            Monotone::EachItem,
            move |windows, pressed, size, seed| {
                let of_window = |window: usize| pressed.items.seed(window, seed).draws();
                surroundings::season(windows, size, period, seed, of_window);
                Ok(())
            },
        ))
    }),
};
