//! Hides values where two other variables are high.
//!
//! # What it does
//! For each variable two others are drawn, with normal weights; the variable is hidden at the steps
//! at which their weighted sum is among its highest (MAR). The two are the same for all windows of
//! a seed. Drivers are read before anything is hidden; one that has a gap of its own counts as its
//! mean.
//!
//! # Why it matters
//! What is left is not a fair sample, but what could correct it is in the data. Strictly so only
//! while the drivers stay observed: each variable drives others and is hidden itself, as in a real
//! panel.
//!
//! # Severity
//! The share of values hidden, from 0 to 1, of each variable. On data that have gaps already it
//! acts on what is left.
//!
//! # Promise
//! Values are hidden, none is changed. The share hidden is checked on every press: a press that
//! hides another share than asked fails its cell. Rungs nest. The share is set over all windows
//! pressed together, so what is hidden of a window depends on the others. Data of one variable are
//! refused.
//!
//! # Example
//! ```toml
//! [ladder.missing]
//! use        = "missing-mar"
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
    name: "missing-mar",
    version: 1,
    fields: &[],
    source: include_str!("missing_mar.rs"),
    build: Build::Stressor(|_| {
        Ok(WindowCorruption::hiding(
            false,
            |windows, _, rate, chance| missing::at_random(windows, rate, chance),
        ))
    }),
};
