//! Hides high values more often than low ones.
//!
//! # What it does
//! A value is hidden with a probability in proportion to the logistic function of 2 · (value −
//! median of its variable), rescaled to the rate (MNAR, self-masking).
//!
//! # Why it matters
//! Whether a value is missing depends on the value itself, which nobody sees: means of what is left
//! are too low, and no correction from the other variables is complete.
//!
//! # Severity
//! The share of values hidden, from 0 to 1, of each variable. On data that have gaps already it
//! acts on what is left.
//!
//! # Promise
//! Values are hidden, none is changed. The share hidden is checked on every press: a press that
//! hides another share than asked fails its cell. Rungs nest. The share is set over all windows
//! pressed together, so what is hidden of a window depends on the others.
//!
//! # Example
//! ```toml
//! [ladder.missing]
//! use        = "missing-mnar-self"
//! on         = "both"
//! severities = [0.1, 0.2, 0.4]
//! ```
//!
//! # Reference
//! R. J. A. Little and D. B. Rubin, *Statistical Analysis with Missing Data*, 3rd ed., 2019,
//! section 1.3.

use duress_core::part::{Build, Part};
use duress_graph::missing;

use crate::causal::frame::window_corruption::WindowCorruption;

/// The part.
pub static PART: Part = Part {
    name: "missing-mnar-self",
    version: 1,
    fields: &[],
    source: include_str!("missing_mnar_self.rs"),
    build: Build::Stressor(|_| {
        Ok(WindowCorruption::hiding(
            false,
            |windows, _, rate, chance| {
                missing::self_masking(windows, rate, chance);
                Ok(())
            },
        ))
    }),
};
