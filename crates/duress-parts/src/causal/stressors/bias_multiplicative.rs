//! Multiplies each variable of a window by a gain of its own.
//!
//! # What it does
//! Each variable of each window is multiplied by 1 + U(−m, m), but by no less than 0.05.
//!
//! # Why it matters
//! A sensor that is calibrated anew, or worn. A bias that were the same for all windows of a regime
//! would vanish when a learner standardises, and be no stress: this one is drawn for each window.
//!
//! # Severity
//! m, how far from 1 the gain may be, from 0 to 10.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. What is hidden stays hidden. A window's draws
//! are its own and the same at every severity. No gain is below 0.05: a signal is never turned
//! round.
//!
//! # Example
//! ```toml
//! [ladder.bias]
//! use        = "bias-multiplicative"
//! on         = "both"
//! severities = [0.15, 0.5, 1.0]
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
    name: "bias-multiplicative",
    version: 1,
    fields: &[],
    source: include_str!("bias_multiplicative.rs"),
    build: Build::Stressor(|_| {
        Ok(WindowCorruption::of_each(
            "largest distance of the gain from 1",
            10.0,
            Monotone::EachItem,
            corruption::multiplicative_bias,
        ))
    }),
};
