//! How many responses lose score as errors are put in.
//!
//! # What it does
//! Fits a line to each item's scores of the gauge `of` over the number of errors and reads the
//! share of items whose line falls, among those whose score moves at all.
//!
//! # Why it matters
//! A mean may fall because of a few responses. A share near a half is a coin.
//!
//! # Promise
//! 1 when every response falls. Its interval is exact. An item with the same score at every dose
//! does not take part.
//!
//! # Example
//! ```toml
//! [gauge.falling-share]
//! use = "falling-share"
//! of = "quality"
//! ```
//!
//! # Reference
//! W. J. Conover, Practical Nonparametric Statistics, 1999, for the sign test that belongs to it.

use duress_core::gauge::{Direction, SHARE, Undefined};
use duress_core::part::{Build, Part};

use crate::judge::frame::dose_reading::{DoseRead, DoseReading};
use crate::judge::frame::dose_response::{Doses, slope};

/// The part.
pub static PART: Part = Part {
    name: "falling-share",
    version: 1,
    fields: &[Doses::OF],
    source: include_str!("falling_share.rs"),
    build: Build::Gauge(|params| Ok(READING.gauge(params))),
};

const READING: DoseReading = DoseReading {
    convention: "share of items whose least-squares slope is below 0, among those that move,",
    direction: Direction::Higher,
    best: Some(1.0),
    ends: SHARE,
    read: DoseRead::ShareOfItems(falls),
};

fn falls(dose: &[f64], score: &[f64]) -> Result<f64, Undefined> {
    let slope = slope(dose, score)?;
    match slope == 0.0 {
        true => Err(Undefined::new("the score does not move")),
        false => Ok(f64::from(u8::from(slope < 0.0))),
    }
}
