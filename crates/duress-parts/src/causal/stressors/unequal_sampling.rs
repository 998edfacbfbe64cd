//! Reads some variables less often than others.
//!
//! # What it does
//! With the probability that the severity says, drawn once for the data set, a variable is read at
//! every `every`-th step only; in between it is hidden. Windows begin anywhere in between.
//!
//! # Why it matters
//! A thermometer reads every second, a laboratory once a day. Methods that want complete rows have
//! none left.
//!
//! # Severity
//! The probability that a variable is slow, from 0 to 1.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. It only hides. Rungs nest.
//!
//! # Example
//! ```toml
//! [ladder.unequal-sampling]
//! use        = "unequal-sampling"
//! on         = "both"
//! severities = [0.25, 0.5, 1]
//! every      = 4
//! ```
//!
//! # Reference
//! D. Danks and S. Plis, "Learning causal structure from undersampled time series", NIPS workshop on
//! causality, 2013.

use duress_core::part::{Build, Field, Part, Takes};
use duress_core::stressor::Monotone;
use duress_graph::sensor_faults;

use crate::causal::frame::window_corruption::WindowCorruption;

/// The part.
pub static PART: Part = Part {
    name: "unequal-sampling",
    version: 1,
    fields: &[Field {
        name: "every",
        takes: Takes::Whole(2, 1000),
        doc: "at every how many steps a slow variable is read",
        default: Some("4"),
    }],
    source: include_str!("unequal_sampling.rs"),
    build: Build::Stressor(|params| {
        let every = params.count("every");
        Ok(WindowCorruption::of_all(
            "probability that a variable is slow",
            1.0,
            Monotone::EachItem,
            move |windows, pressed, share, seed| {
                let of_window = |window: usize| pressed.items.seed(window, seed).draws();
                sensor_faults::slow(windows, share, every, seed, of_window);
                Ok(())
            },
        ))
    }),
};
