//! How good a judge finds the responses: the mean quality over items in one dimension, from 0 to
//! 100.
//!
//! # What it does
//! Averages the dimension `dimension` of the ratings over the items that have one: T
//! trustworthiness, B bias, E explainability. Quality is 100 when the judge found nothing wrong,
//! and falls with the weight of what it found. `dimension = "total"` is .5 T + .3 E + .2 B, unless the
//! judge has a dimension of that name itself.
//!
//! # Why it matters
//! A judge is tested by whether this falls when errors are put in, and only in the dimension they
//! belong to.
//!
//! # Promise
//! Higher is better: quality falls with errors. An item without a rating (a reply that could not be
//! read) does not take part; it is never taken for a perfect one. Where a rating lies outside 0 to 100
//! there is no value: it was given on another scale, or made up. `mean-rating` reads any.
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

use duress_core::answer::RatingAnswers;
use duress_core::gauge::{CellGauge, CellRead, Gauge, Mean, Meter, Scale, Undefined};
use duress_core::part::{Build, Part};

use crate::judge::frame::quality_scale::{BEST, on_scale};
use crate::shared::frame::ratings::{dimension, dimension_key, mean_scale, ratings};

/// The part.
pub static PART: Part = Part {
    name: "quality",
    version: 1,
    fields: &[dimension_key(
        "the dimension of the ratings that is read: T, B or E, one that the judge has itself, or total",
        "T",
    )],
    source: include_str!("quality.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Cell(Box::new(Quality {
            dimension: params.text("dimension").into(),
        })))
    }),
};

/// What all dimensions come to.
const TOTAL: &str = "total";

/// The share of each dimension in the total.
const SHARES: [(&str, f64); 3] = [("T", 0.5), ("E", 0.3), ("B", 0.2)];

/// .5 T + .3 E + .2 B of each item.
fn totals(rated: &RatingAnswers) -> Result<Vec<Option<f64>>, Undefined> {
    for (name, _) in SHARES {
        dimension(rated, name)?;
    }
    let total = |item: usize| {
        let parts = SHARES.iter();
        parts
            .map(|(name, share)| rated.rating(item, name).map(|rating| share * rating))
            .sum()
    };
    Ok((0..rated.rows().len()).map(total).collect())
}

struct Quality {
    dimension: String,
}

impl CellGauge for Quality {
    fn scale(&self) -> Scale {
        let convention = format!(
            "mean quality from 0 to 100 over rated items in dimension {}",
            self.dimension
        );
        mean_scale(BEST, (Some(0.0), Some(BEST)), convention)
    }

    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        let rated = ratings(read.answers)?;
        let own = rated.dimensions().contains(&self.dimension);
        let values = match self.dimension == TOTAL && !own {
            true => totals(rated)?,
            false => dimension(rated, &self.dimension)?,
        };
        on_scale(&values)?;
        Ok(Arc::new(Mean::over(values)))
    }
}
