//! Moves a share of the values far away.
//!
//! # What it does
//! Each value is hit with the same probability and moved by sign · `scale` · U(0, 1), the sign by
//! chance.
//!
//! # Why it matters
//! Spikes, bit flips, a unit mixed up: rare and large. Anything that squares residuals is led by a
//! few of them.
//!
//! # Severity
//! The share of values that are moved, from 0 to 1; `scale` says how far. In the data's own units:
//! datasets of windows are standardised unless told not to be, so a standard deviation of the
//! signal is 1.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. What is hidden stays hidden. A window's draws
//! are its own and the same at every severity. Rungs nest: what is moved at 3 % is moved as far at
//! 10 %.
//!
//! # Example
//! ```toml
//! [ladder.outliers]
//! use        = "outliers"
//! on         = "both"
//! severities = [0.03, 0.1]
//! scale      = 5
//! ```
//!
//! # Reference
//! P. J. Huber and E. M. Ronchetti, *Robust Statistics*, 2nd ed., 2009, section 1.1.

use duress_core::part::{Build, Field, Part, Takes};
use duress_core::stressor::Monotone;
use duress_graph::corruption;

use crate::causal::frame::window_corruption::WindowCorruption;

/// The part.
pub static PART: Part = Part {
    name: "outliers",
    version: 1,
    fields: &[Field {
        name: "scale",
        takes: Takes::Number(0.0, 1e6),
        doc: "the furthest a value is moved, in units of the signal",
        default: Some("5"),
    }],
    source: include_str!("outliers.rs"),
    build: Build::Stressor(|params| {
        let scale = params.number("scale");
        Ok(WindowCorruption::of_each(
            "share of values moved",
            1.0,
            Monotone::EachItem,
            move |windows, window, rate, draws| {
                corruption::outliers(windows, window, rate, scale, draws);
            },
        ))
    }),
};
