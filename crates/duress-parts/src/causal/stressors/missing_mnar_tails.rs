//! Hides the highest and the lowest values of each variable.
//!
//! # What it does
//! The values below the rate/2 quantile and above the (1 − rate/2) quantile of their variable are
//! hidden (MNAR).
//!
//! # Why it matters
//! A sensor with a range. Means stay right, spreads and everything that leans on them do not: a
//! bend that shows at one standard deviation is cut off before it is seen.
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
//! use        = "missing-mnar-tails"
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
    name: "missing-mnar-tails",
    version: 1,
    fields: &[],
    source: include_str!("missing_mnar_tails.rs"),
    build: Build::Stressor(|_| {
        Ok(WindowCorruption::hiding(
            false,
            |windows, _, rate, chance| {
                missing::in_tails(windows, rate, chance);
                Ok(())
            },
        ))
    }),
};
