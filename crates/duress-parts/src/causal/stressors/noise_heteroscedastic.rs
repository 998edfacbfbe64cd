//! Adds Gaussian noise that grows with the value.
//!
//! # What it does
//! Each value becomes x + σ·(1 + |x|)·z, with z standard normal.
//!
//! # Why it matters
//! Many sensors are off by a share of what they read. Methods that weigh all values alike then
//! listen most to the worst ones.
//!
//! # Severity
//! σ at a value of 0, from 0 to 100. In the data's own units: datasets of windows are standardised
//! unless told not to be, so a standard deviation of the signal is 1.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. What is hidden stays hidden. A window's draws
//! are its own and the same at every severity.
//!
//! # Example
//! ```toml
//! [ladder.noise]
//! use        = "noise-heteroscedastic"
//! on         = "both"
//! severities = [0.1, 0.3, 0.5]
//! ```
//!
//! # Reference
//! W. A. Fuller, *Measurement Error Models*, 1987, section 3.1.

use duress_core::part::{Build, Part};
use duress_core::stressor::Monotone;
use duress_graph::corruption;

use crate::causal::frame::window_corruption::WindowCorruption;

/// The part.
pub static PART: Part = Part {
    name: "noise-heteroscedastic",
    version: 1,
    fields: &[],
    source: include_str!("noise_heteroscedastic.rs"),
    build: Build::Stressor(|_| {
        let unit = "standard deviation at 0, in units of the signal";
        Ok(WindowCorruption::of_each(
            unit,
            100.0,
            Monotone::EachItem,
            corruption::heteroscedastic_noise,
        ))
    }),
};
