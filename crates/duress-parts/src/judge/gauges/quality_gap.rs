//! How far a judge's score in one dimension lies above that in another.
//!
//! # What it does
//! Takes each item's quality in `dimension` minus its quality in `beside`, from 0 to 100 each, and
//! reads the mean over the items that have both.
//!
//! # Why it matters
//! An error must lower the score that it belongs to by more than it lowers the others. That is a
//! claim about this gauge under the error: with `against = "clean"` and `side = "less"`, the first
//! score has fallen further than the second, item by item.
//!
//! # Promise
//! Neither direction is better by itself. A judge that lowers everything alike leaves it where it
//! was. Ratings outside 0 to 100 give no value.
//!
//! # Example
//! ```toml
//! [gauge.T-over-B]
//! use = "quality-gap"
//! dimension = "T"
//! beside = "B"
//! ```
//!
//! # Reference
//! docs/judge.md; `quality` reads one dimension alone.

use std::sync::Arc;

use duress_core::gauge::{
    CellGauge, CellRead, Direction, Gauge, Mean, Meter, Scale, Undefined, Unit,
};
use duress_core::part::{Build, Field, Part, Takes};
use duress_core::question::Question;

use crate::judge::frame::quality_scale::{BEST, on_scale};
use crate::shared::frame::ratings::{dimension, dimension_key, ratings};

/// The part.
pub static PART: Part = Part {
    name: "quality-gap",
    version: 1,
    fields: &[
        dimension_key("the dimension that is read", "T"),
        Field {
            name: "beside",
            takes: Takes::Text,
            doc: "the dimension that is taken from it",
            default: None,
        },
    ],
    source: include_str!("quality_gap.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Cell(Box::new(QualityGap {
            dimension: params.text("dimension").into(),
            beside: params.text("beside").into(),
        })))
    }),
};

struct QualityGap {
    dimension: String,
    beside: String,
}

impl CellGauge for QualityGap {
    fn scale(&self) -> Scale {
        Scale {
            reads: Question::Ratings,
            direction: Direction::Neither,
            best: None,
            ends: (Some(-BEST), Some(BEST)),
            unit: Unit::Items,
            convention: format!(
                "mean over rated items of quality in dimension {} minus quality in {}",
                self.dimension, self.beside
            ),
            compat: false,
        }
    }

    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        let rated = ratings(read.answers)?;
        let own = dimension(rated, &self.dimension)?;
        let beside = dimension(rated, &self.beside)?;
        on_scale(&own)?;
        on_scale(&beside)?;
        let gap = |(own, beside): (&Option<f64>, &Option<f64>)| Some((*own)? - (*beside)?);
        Ok(Arc::new(Mean::contrast(
            own.iter().zip(&beside).map(gap).collect(),
        )))
    }
}
