//! How often a response with one error is scored below itself without.
//!
//! # What it does
//! Reads, over items, the share that score lower at the first dose than without errors; an equal
//! score counts a half.
//!
//! # Why it matters
//! A judge that notices five errors and not one is of no use for texts that are nearly right.
//!
//! # Promise
//! 1 when every response is scored lower with its first error, .5 for a judge that cannot tell, 0
//! for one that prefers errors.
//!
//! # Example
//! ```toml
//! [gauge.first-error-discrimination]
//! use = "first-error-discrimination"
//! of = "quality"
//! ```
//!
//! # Reference
//! The common-language effect size for pairs: K. O. McGraw and S. P. Wong, Psychological Bulletin
//! 111 (1992) 361.

use duress_core::gauge::{Direction, SHARE, Undefined};
use duress_core::part::{Build, Part};

use crate::judge::frame::dose_reading::{DoseRead, DoseReading};
use crate::judge::frame::dose_response::Doses;

/// The part.
pub static PART: Part = Part {
    name: "first-error-discrimination",
    version: 1,
    fields: &[Doses::OF],
    source: include_str!("first_error_discrimination.rs"),
    build: Build::Gauge(|params| Ok(READING.gauge(params))),
};

const READING: DoseReading = DoseReading {
    convention: "share of items scored lower at the first dose than at none, ties a half,",
    direction: Direction::Higher,
    best: Some(1.0),
    ends: SHARE,
    read: DoseRead::EachItem(discriminates),
};

fn discriminates(_dose: &[f64], score: &[f64]) -> Result<f64, Undefined> {
    match score {
        [clean, first, ..] if first < clean => Ok(1.0),
        [clean, first, ..] if first == clean => Ok(0.5),
        [_, _, ..] => Ok(0.0),
        _ => Err(Undefined::new("a first dose needs a rung")),
    }
}
