//! The mean rating in one dimension, whatever its range.
//!
//! # What it does
//! Averages the ratings that a judge, a comparison of embeddings or a reranker gave in one dimension,
//! over the items that have one.
//!
//! # Why it matters
//! `quality` is for judges that rate from 0 to 100. A cosine lies between -1 and 1, and what a
//! reranker says has no bounds at all: an interval that were cut at 0 would be wrong.
//!
//! # Promise
//! Higher is better; no value is the best. Items without a rating do not take part.
//!
//! # Example
//! ```toml
//! [gauge.meaning]
//! use = "mean-rating"
//! dimension = "similarity"
//! ```
//!
//! # Reference
//! The arithmetic mean.

use std::sync::Arc;

use duress_core::gauge::{CellGauge, CellRead, Direction, Gauge, Meter, Scale, Undefined, Unit};
use duress_core::part::{Build, Part};
use duress_core::question::Question;

use crate::shared::frame::ratings::{self, dimension_key};

/// The part.
pub static PART: Part = Part {
    name: "mean-rating",
    version: 1,
    fields: &[dimension_key(
        "the dimension of the ratings that is read: `similarity`, `relevance`, or one of a judge's",
        "T",
    )],
    source: include_str!("mean_rating.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Cell(Box::new(MeanRating {
            dimension: params.text("dimension").into(),
        })))
    }),
};

struct MeanRating {
    dimension: String,
}

impl CellGauge for MeanRating {
    fn scale(&self) -> Scale {
        Scale {
            reads: Question::Ratings,
            direction: Direction::Higher,
            best: None,
            ends: (None, None),
            unit: Unit::Items,
            convention: format!("mean over rated items in dimension {}", self.dimension),
            compat: false,
        }
    }

    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        ratings::mean_rating(read, &self.dimension)
    }
}
