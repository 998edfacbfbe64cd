//! Draws the windows anew from themselves: a bootstrap.
//!
//! # What it does
//! In the place of each window stands, with the probability that is the severity, a window drawn
//! from all of them. Ids stay where they are. At 1 it is the bootstrap of Efron: about 37 % of the
//! windows are not there, others are there several times.
//!
//! # Why it matters
//! How sure is an edge? With `vary = ["stress"]` and some dozen seeds, the share of seeds in which
//! an edge is chosen is its share over bootstraps of the windows; the report draws it beside the
//! edge.
//!
//! # Severity
//! The share of windows that are drawn anew, from 0 to 1.
//!
//! # Promise
//! No value is changed, windows only change places. Windows that overlap in time are drawn one by
//! one, so for overlapping windows the shares are too sure.
//!
//! # Example
//! ```toml
//! [ladder.bootstrap]
//! use        = "resample-windows"
//! on         = "train"
//! severities = [1]
//! ```
//!
//! # Reference
//! B. Efron, Bootstrap methods: another look at the jackknife, *Annals of Statistics* 7 (1979)
//! 1–26.

use duress_core::part::{Build, Part};
use duress_core::stressor::Monotone;
use duress_graph::corruption;

use crate::causal::frame::window_corruption::WindowCorruption;

/// The part.
pub static PART: Part = Part {
    name: "resample-windows",
    version: 1,
    fields: &[],
    source: include_str!("resample_windows.rs"),
    build: Build::Stressor(|_| {
        Ok(WindowCorruption::of_all(
            "share of windows drawn anew",
            1.0,
            Monotone::EachItem,
            |windows, pressed, share, seed| {
                let of_window = |window: usize| pressed.items.seed(window, seed).draws();
                let drawn = corruption::resample(windows.len(), share, of_window);
                *windows = pressed.items.select(&drawn).windows()?.clone();
                Ok(())
            },
        ))
    }),
};
