//! Adds independent Gaussian noise to every value of a window.
//!
//! # What it does
//! Each value becomes x + σ·z, with z standard normal.
//!
//! # Why it matters
//! Noise on a cause weakens every effect that is estimated from it (attenuation), and at lag 1 it
//! makes other variables look like causes, because they carry what the noisy one lost.
//!
//! # Severity
//! σ, from 0 to 100. In the data's own units: datasets of windows are standardised unless told not
//! to be, so a standard deviation of the signal is 1.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. What is hidden stays hidden. A window's draws
//! are its own and the same at every severity.
//!
//! # Example
//! ```toml
//! [ladder.noise]
//! use        = "noise"
//! on         = "both"
//! severities = [0.1, 0.5, 1.0]
//! ```
//!
//! # Reference
//! W. A. Fuller, *Measurement Error Models*, 1987, chapter 1.

use duress_core::part::{Build, Part};
use duress_core::stressor::Monotone;
use duress_graph::corruption;

use crate::causal::frame::window_corruption::WindowCorruption;

/// The part.
pub static PART: Part = Part {
    name: "noise",
    version: 1,
    fields: &[],
    source: include_str!("noise.rs"),
    build: Build::Stressor(|_| {
        let unit = "standard deviation in units of the signal";
        Ok(WindowCorruption::of_each(
            unit,
            100.0,
            Monotone::EachItem,
            corruption::noise,
        ))
    }),
};
