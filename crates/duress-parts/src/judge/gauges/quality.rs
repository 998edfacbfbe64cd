//! How good a judge finds the responses: the mean quality over items in one dimension, from 0 to
//! 100.
//!
//! # What it does
//! Averages the dimension `dimension` of the ratings over the items that have one: T
//! trustworthiness, B bias, E explainability. Quality is 100 when the judge found nothing wrong,
//! and falls with the weight of what it found.
//!
//! # Why it matters
//! A judge is tested by whether this falls when errors are put in, and only in the dimension they
//! belong to.
//!
//! # Promise
//! Higher is better: quality falls with errors. An item without a rating (a reply that could not be
//! read) does not take part; it is never taken for a perfect one.
//!
//! # Example
//! ```toml
//! [gauge.bias]
//! use = "quality"
//! dimension = "B"
//! ```
//!
//! # Reference
//! Quality = 100 · exp(−Σ weight × severity / 2); the weights are in docs/judge.md.

use std::sync::Arc;

use duress_core::gauge::{CellGauge, CellRead, Gauge, Meter, Scale, Undefined};
use duress_core::part::{Build, Part};

use crate::shared::frame::ratings::{dimension_key, mean_rating, mean_scale};

/// The part.
pub static PART: Part = Part {
    name: "quality",
    version: 1,
    fields: &[dimension_key(
        "the dimension of the ratings that is read: T, B or E",
        "T",
    )],
    source: include_str!("quality.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Cell(Box::new(Quality {
            dimension: params.text("dimension").into(),
        })))
    }),
};

struct Quality {
    dimension: String,
}

impl CellGauge for Quality {
    fn scale(&self) -> Scale {
        let convention = format!(
            "mean quality from 0 to 100 over rated items in dimension {}",
            self.dimension
        );
        mean_scale(100.0, (Some(0.0), Some(100.0)), convention)
    }

    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        mean_rating(read, &self.dimension)
    }
}
