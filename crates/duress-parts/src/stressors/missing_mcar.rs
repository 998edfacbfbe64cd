//! Hides values completely at random.
//!
//! # What it does
//! Each value of each window is hidden with the same probability, whatever it is and whatever else is hidden (MCAR). A hidden
//! value is gone: no subject can read it.
//!
//! # Why it matters
//! The mildest way to lose data: what is left is a fair sample, so every loss of quality is due to having less of it. A learner
//! that breaks here breaks everywhere.
//!
//! # Severity
//! The probability that a value is hidden, from 0 to 1. On data that have gaps already it acts on what is left.
//!
//! # Promise
//! Values are hidden, none is changed. Rungs nest: every value has one draw, so what is hidden at 10 % is hidden at 20 % too.
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

use duress_core::data::{InputKind, Inputs, Items};
use duress_core::part::{Build, Part};
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{Blind, Pressed, Pressure, Promise, Stressor};
use duress_core::subject::Failure;
use duress_graph::missing;

/// The part.
pub static PART: Part = Part {
    name: "missing-mcar",
    version: 1,
    fields: &[],
    source: include_str!("missing_mcar.rs"),
    build: Build::Stressor(|_| Ok(Stressor::Blind(Box::new(MissingMcar)))),
};

/// Hides values completely at random.
pub struct MissingMcar;

impl Blind for MissingMcar {
    fn pressure(&self) -> Pressure {
        Pressure {
            accepts: InputKind::Windows,
            unit: "share of values hidden",
            most: 1.0,
            sees_truth: false,
            promise: Promise::OnlyHides,
        }
    }

    fn press(&self, pressed: Pressed<'_>, severity: &Severity, seed: Seed) -> Result<Items, Failure> {
        let items = pressed.items;
        let mut windows = items.windows()?.clone();
        for i in 0..items.len() {
            missing::completely_at_random(&mut windows, i, severity.value(), items.seed(i, seed).draws());
        }
        Ok(items.with(Inputs::Windows(windows)))
    }
}
