//! Adds a slow drift to every variable of a window.
//!
//! # What it does
//! To each variable it adds an autoregression d(t) = 0.95·d(t−1) + σ·z(t), begun where it has
//! settled, so its standard deviation is 3.2 σ.
//!
//! # Why it matters
//! Sensors age, warm up and are nudged. A drift remembers, so it looks like a signal with causes of
//! its own.
//!
//! # Severity
//! σ, the standard deviation of a step of the drift, from 0 to 100. In the data's own units:
//! datasets of windows are standardised unless told not to be, so a standard deviation of the
//! signal is 1.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. What is hidden stays hidden. A window's draws
//! are its own and the same at every severity.
//!
//! # Example
//! ```toml
//! [ladder.drift]
//! use        = "drift"
//! on         = "both"
//! severities = [0.01, 0.05, 0.2]
//! ```
//!
//! # Reference
//! P. J. Brockwell and R. A. Davis, *Time Series: Theory and Methods*, 2nd ed., 1991, section 3.1.

use duress_core::part::{Build, Part};
use duress_core::stressor::Monotone;
use duress_graph::corruption;

use crate::causal::frame::window_corruption::WindowCorruption;

/// The part.
pub static PART: Part = Part {
    name: "drift",
    version: 1,
    fields: &[],
    source: include_str!("drift.rs"),
    build: Build::Stressor(|_| {
        let unit = "standard deviation of a step, in units of the signal";
        Ok(WindowCorruption::of_each(
            unit,
            100.0,
            Monotone::EachItem,
            corruption::drift,
        ))
    }),
};
