//! Lets sensors die within a window.
//!
//! # What it does
//! With the probability that the severity says, a variable repeats, from a random step of the window
//! on, what it read there.
//!
//! # Why it matters
//! A sensor that fails seldom says so: it goes on sending its last value, and a constant passes for a
//! signal that remembers everything.
//!
//! # Severity
//! The probability that a variable dies in a window, from 0 to 1.
//!
//! # Promise
//! Blind: it sees neither the subject nor the truth. What is hidden stays hidden.
//! Rungs nest: what is dead
//! at 10 % is dead from the same step on at 30 %.
//!
//! # Example
//! ```toml
//! [ladder.dead-sensor]
//! use        = "dead-sensor"
//! on         = "both"
//! severities = [0.1, 0.3]
//! ```
//!
//! # Reference
//! K. Ni et al., "Sensor network data fault types", *ACM Transactions on Sensor Networks* 5 (2009)
//! 25:1–29, "stuck-at".

use duress_core::part::{Build, Part};
use duress_core::stressor::Monotone;
use duress_graph::sensor_faults;

use crate::causal::frame::window_corruption::WindowCorruption;

/// The part.
pub static PART: Part = Part {
    name: "dead-sensor",
    version: 1,
    fields: &[],
    source: include_str!("dead_sensor.rs"),
    build: Build::Stressor(|_| {
        Ok(WindowCorruption::of_each(
            "probability that a sensor dies in a window",
            1.0,
            Monotone::EachItem,
            sensor_faults::stuck,
        ))
    }),
};
