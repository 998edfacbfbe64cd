//! Adds a straight line to every variable of a window.
//!
//! # What it does
//! From the first to the last step of each window a variable rises or falls by the severity times a
//! number that is normal for each variable and the same in all windows.
//!
//! # Why it matters
//! Plants warm up, loads grow, batteries empty. Variables that only share a direction look as if one
//! drove the other.
//!
//! # Severity
//! The rise over a window, from 0 to 100, in standard deviations over variables. In the data's own units: datasets
//! of windows are standardised unless told not to be, so a standard deviation of the signal is 1.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. What is hidden stays hidden.
//! Rungs are the same lines turned up.
//!
//! # Example
//! ```toml
//! [ladder.trend]
//! use        = "trend"
//! on         = "both"
//! severities = [0.5, 1, 2]
//! ```
//!
//! # Reference
//! C. W. J. Granger and P. Newbold, "Spurious regressions in econometrics", *Journal of Econometrics* 2
//! (1974) 111–120.

use duress_core::part::{Build, Part};
use duress_core::stressor::Monotone;
use duress_graph::surroundings;

use crate::causal::frame::window_corruption::WindowCorruption;

/// The part.
pub static PART: Part = Part {
    name: "trend",
    version: 1,
    fields: &[],
    source: include_str!("trend.rs"),
    build: Build::Stressor(|_| {
        Ok(WindowCorruption::of_all(
            "rise over a window, in units of the signal",
            100.0,
            Monotone::EachItem,
            |windows, _, size, seed| {
                surroundings::trend(windows, size, seed);
                Ok(())
            },
        ))
    }),
};
