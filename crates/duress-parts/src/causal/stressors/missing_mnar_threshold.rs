//! Hides the highest values of each variable.
//!
//! # What it does
//! The values above the (1 − rate) quantile of their variable are hidden (MNAR). Ties at the
//! quantile are settled by chance.
//!
//! # Why it matters
//! A sensor that saturates or is switched off when it matters. Nothing above the threshold is ever
//! seen, so no model of the values that are left can tell what happens there.
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
//! use        = "missing-mnar-threshold"
//! on         = "both"
//! severities = [0.1, 0.25, 0.4]
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
    name: "missing-mnar-threshold",
    version: 1,
    fields: &[],
    source: include_str!("missing_mnar_threshold.rs"),
    build: Build::Stressor(|_| {
        Ok(WindowCorruption::hiding(
            false,
            |windows, _, rate, chance| {
                missing::above_threshold(windows, rate, chance);
                Ok(())
            },
        ))
    }),
};
