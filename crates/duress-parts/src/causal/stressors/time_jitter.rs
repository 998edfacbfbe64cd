//! Reads each value a little too early or too late.
//!
//! # What it does
//! Each value is read up to the severity of a step early or late, on the line between it and its
//! neighbour; where that is hidden or there is none, in time.
//!
//! # Why it matters
//! Clocks of different sensors do not agree. When a cause is read late and its effect early, the arrow
//! turns round.
//!
//! # Severity
//! The furthest a reading is off, in steps, from 0 to 1.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. What is hidden stays hidden.
//! Rungs are the same
//! errors turned up.
//!
//! # Example
//! ```toml
//! [ladder.time-jitter]
//! use        = "time-jitter"
//! on         = "both"
//! severities = [0.25, 0.5, 1]
//! ```
//!
//! # Reference
//! J. Runge, "Causal network reconstruction from time series: from theoretical assumptions to practical
//! estimation", *Chaos* 28 (2018) 075310, section on time sampling.

use duress_core::part::{Build, Part};
use duress_core::stressor::Monotone;
use duress_graph::sensor_faults;

use crate::causal::frame::window_corruption::WindowCorruption;

/// The part.
pub static PART: Part = Part {
    name: "time-jitter",
    version: 1,
    fields: &[],
    source: include_str!("time_jitter.rs"),
    build: Build::Stressor(|_| {
        Ok(WindowCorruption::of_each(
            "furthest off, in steps",
            1.0,
            Monotone::EachItem,
            sensor_faults::jitter,
        ))
    }),
};
