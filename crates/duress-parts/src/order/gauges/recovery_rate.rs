//! How often the original order is given back: the share of answers that recover the text as it was
//! before stress.
//!
//! # What it does
//! Averages the dimension `recovery` of the ratings over the items that have one.
//!
//! # Why it matters
//! It tells reading in spite of the order from guessing by the parts, which S_acc cannot.
//!
//! # Promise
//! Higher is better, 1 is all of them. Items without a rating do not take part. Where no rater
//! rates recovery it is undefined, not 0.
//!
//! # Example
//! ```toml
//! [rater.order]
//! use = "recovery"
//!
//! [gauge.recovered]
//! use = "recovery-rate"
//! rater = "order"
//!
//! [analysis]
//! gauges = ["recovered"]
//! ```
//!
//! # Reference
//! `duress explain recovery` says what counts as recovered.

use std::sync::Arc;

use duress_core::gauge::{
    CellGauge, CellRead, Direction, Gauge, Mean, Meter, SHARE, Scale, Undefined, Unit,
};
use duress_core::part::{Build, Part};
use duress_core::question::Question;

use crate::shared::frame::ratings::{dimension, ratings};

/// The part.
pub static PART: Part = Part {
    name: "recovery-rate",
    version: 1,
    fields: &[],
    source: include_str!("recovery_rate.rs"),
    build: Build::Gauge(|_| Ok(Gauge::Cell(Box::new(RecoveryRate)))),
};

struct RecoveryRate;

impl CellGauge for RecoveryRate {
    fn scale(&self) -> Scale {
        Scale {
            reads: Question::Ratings,
            direction: Direction::Higher,
            best: Some(1.0),
            ends: SHARE,
            unit: Unit::Items,
            convention:
                "share of rated items whose answer gives the original text back, by exact match"
                    .into(),
            compat: false,
        }
    }

    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        Ok(Arc::new(Mean::over(dimension(
            ratings(read.answers)?,
            "recovery",
        )?)))
    }
}
