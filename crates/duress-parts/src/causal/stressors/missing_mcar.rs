//! Hides values completely at random.
//!
//! # What it does
//! Each value of each window is hidden with the same probability, whatever it is and whatever else
//! is hidden (MCAR). A hidden value is gone: no subject can read it.
//!
//! # Why it matters
//! The mildest way to lose data: what is left is a fair sample, so every loss of quality is due to
//! having less of it. A learner that breaks here breaks everywhere.
//!
//! # Severity
//! The probability that a value is hidden, from 0 to 1. On data that have gaps already it acts on
//! what is left.
//!
//! # Promise
//! Values are hidden, none is changed. Rungs nest: every value has one draw, so what is hidden at
//! 10 % is hidden at 20 % too.
//!
//! # Example
//! ```toml
//! [ladder.missing]
//! use        = "missing-mcar"
//! on         = "train"
//! severities = [0.1, 0.2, 0.4, 0.6, 0.8]
//! ```
//!
//! # Reference
//! Rubin, "Inference and missing data", *Biometrika* 63 (1976) 581–592.

use duress_core::part::{Build, Part};

use crate::causal::frame::window_corruption::WindowCorruption;

/// The part.
pub static PART: Part = Part {
    name: "missing-mcar",
    version: 1,
    fields: &[],
    source: include_str!("missing_mcar.rs"),
    build: Build::Stressor(|_| Ok(WindowCorruption::hiding_evenly())),
};
