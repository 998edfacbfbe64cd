//! How many responses move at all as errors are put in.
//!
//! # What it does
//! Reads the share of items whose score of the gauge `of` is not the same at every dose.
//!
//! # Why it matters
//! A judge that follows rules often leaves a dimension exactly where it was. The slope of every
//! response is then 0, without a spread that could say how far other responses would go, and no small
//! number of them shows that the mean slope is within a point. That none of n moved says directly how
//! many others do.
//!
//! # Promise
//! 0 when nothing moves, with Wilson's limit, as every share has: 24 responses that do not move leave
//! 10.1 % (one-sided 95 %; 11.7 % by Clopper and Pearson). Of the dimension that errors belong to, more is better; of the others,
//! less: neither direction is better by itself.
//!
//! # Example
//! ```toml
//! [gauge.B-moved]
//! use = "moved-share"
//! of = "B"
//! ```
//!
//! # Reference
//! E. B. Wilson, Probable inference, the law of succession, and statistical inference, Journal of the
//! American Statistical Association 22, 1927.

use duress_core::gauge::{Direction, SHARE, Undefined};
use duress_core::part::{Build, Part};

use crate::judge::frame::dose_reading::{DoseRead, DoseReading};
use crate::judge::frame::dose_response::Doses;

/// The part.
pub static PART: Part = Part {
    name: "moved-share",
    version: 1,
    fields: &[Doses::OF],
    source: include_str!("moved_share.rs"),
    build: Build::Gauge(|params| Ok(READING.gauge(params))),
};

const READING: DoseReading = DoseReading {
    convention: "share of items whose score is not the same at every dose,",
    direction: Direction::Neither,
    best: None,
    ends: SHARE,
    read: DoseRead::ShareOfItems(moves),
};

fn moves(_dose: &[f64], score: &[f64]) -> Result<f64, Undefined> {
    let moved = score.iter().any(|one| Some(one) != score.first());
    Ok(f64::from(u8::from(moved)))
}
