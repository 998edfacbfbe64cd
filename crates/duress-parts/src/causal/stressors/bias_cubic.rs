//! Bends each variable of a window by a cubic of its own.
//!
//! # What it does
//! Each variable of each window becomes x + c₁x + c₂x² + c₃x³, with c_g normal of standard
//! deviation m/g; 1 + c₁ is no less than 0.05.
//!
//! # Why it matters
//! A response curve that is not straight. It changes which mechanisms look linear, not only how
//! large things are. A bias that were the same for all windows of a regime would vanish when a
//! learner standardises, and be no stress: this one is drawn for each window.
//!
//! # Severity
//! m, from 0 to 10. In the data's own units: datasets of windows are standardised unless told not
//! to be, so a standard deviation of the signal is 1. The cube grows fast: values of 5 and more
//! make it the largest term.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. What is hidden stays hidden. A window's draws
//! are its own and the same at every severity.
//!
//! # Example
//! ```toml
//! [ladder.bias]
//! use        = "bias-cubic"
//! on         = "both"
//! severities = [0.1, 0.2]
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
    name: "bias-cubic",
    version: 1,
    fields: &[],
    source: include_str!("bias_cubic.rs"),
    build: Build::Stressor(|_| {
        Ok(WindowCorruption::of_each(
            "standard deviation of the linear term",
            10.0,
            Monotone::EachItem,
            corruption::cubic_bias,
        ))
    }),
};
