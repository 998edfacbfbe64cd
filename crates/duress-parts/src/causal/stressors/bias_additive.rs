//! Adds to each variable of a window an offset of its own.
//!
//! # What it does
//! To each variable of each window it adds U(−m, m).
//!
//! # Why it matters
//! A zero that was set wrongly. A bias that were the same for all windows of a regime would vanish
//! when a learner standardises, and be no stress: this one is drawn for each window.
//!
//! # Severity
//! m, how far from 0 the offset may be, from 0 to 100. In the data's own units: datasets of windows
//! are standardised unless told not to be, so a standard deviation of the signal is 1.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. What is hidden stays hidden. A window's draws
//! are its own and the same at every severity.
//!
//! # Example
//! ```toml
//! [ladder.bias]
//! use        = "bias-additive"
//! on         = "both"
//! severities = [0.2, 0.5, 1.0]
//! ```
//!
//! # Reference
//! R. J. Carroll et al., *Measurement Error in Nonlinear Models*, 2nd ed., 2006, section 1.4.

use duress_core::part::{Build, Part};
use duress_core::stressor::Monotone;
use duress_graph::corruption;

use crate::causal::frame::window_corruption::WindowCorruption;

/// The part.
pub static PART: Part = Part {
    name: "bias-additive",
    version: 1,
    fields: &[],
    source: include_str!("bias_additive.rs"),
    build: Build::Stressor(|_| {
        Ok(WindowCorruption::of_each(
            "largest offset, in units of the signal",
            100.0,
            Monotone::EachItem,
            corruption::additive_bias,
        ))
    }),
};
