//! How good explanations are: the mean over items of what a rater says, from 0 to 1.
//!
//! # What it does
//! Averages the dimension `dimension` of the ratings over the items that have one. Its detail lists
//! the five components S_acc is made of, each with its mean, or with the reason why it is missing.
//!
//! # Why it matters
//! S_acc is what all gauges of scrambled order are made of. Without scrambling it is S_orig, which
//! is measured here and never assumed.
//!
//! # Promise
//! Higher is better, 1 is perfect. Items without a rating do not take part. A component that no
//! rater gives is named as missing and not counted as 0. Ratings outside [0, 1] are read as they are,
//! with a caveat that says how many there are.
//!
//! # Example
//! ```toml
//! [rater.words]
//! use = "lexical"
//!
//! [analysis]
//! gauges = ["s-acc"]
//! ```
//!
//! # Reference
//! S_acc = 0.5 · cross-encoder + 0.3 · mean(BERTScore, embedding cosine, lexical cosine) + 0.2 ·
//! F2; `duress explain lexical` says what becomes of it where only the last two are there.

use std::sync::Arc;

use duress_core::answer::RatingAnswers;
use duress_core::gauge::{
    CellGauge, CellRead, Detail, Ends, Gauge, Group, Mean, Meter, SHARE, Scale, Undefined,
};
use duress_core::part::{Build, Part};
use duress_text::lexical::COMPONENTS;

use crate::shared::frame::ratings::{dimension, dimension_key, mean_rating, mean_scale, ratings};

/// The part.
pub static PART: Part = Part {
    name: "s-acc",
    version: 1,
    fields: &[dimension_key(
        "the dimension of the ratings that is read",
        "s-acc",
    )],
    source: include_str!("s_acc.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Cell(Box::new(SAcc {
            dimension: params.text("dimension").into(),
        })))
    }),
};

struct SAcc {
    dimension: String,
}

impl CellGauge for SAcc {
    fn scale(&self) -> Scale {
        let convention = format!(
            "mean over rated items of the rater's dimension `{}`; components it lacks are left out, not counted as 0",
            self.dimension
        );
        mean_scale(1.0, (None, None), convention)
    }

    /// What the other gauges of scrambled order make of it supposes as much.
    fn meant_within(&self) -> Ends {
        SHARE
    }

    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        mean_rating(read, &self.dimension)
    }

    fn detail(&self, read: CellRead<'_>) -> Option<Detail> {
        let ratings = ratings(read.answers).ok()?;
        Some(Detail::Groups(
            COMPONENTS
                .iter()
                .map(|name| component(ratings, name))
                .collect(),
        ))
    }
}

fn component(ratings: &RatingAnswers, name: &str) -> Group {
    match dimension(ratings, name) {
        Ok(values) => {
            let n = values.iter().flatten().count();
            Group {
                name: name.into(),
                n,
                value: Mean::over(values).plain(),
            }
        }
        Err(_) => {
            let value = Err(Undefined::new(
                "missing: no rater gives it; left out of S_acc, not counted as 0",
            ));
            Group {
                name: name.into(),
                n: 0,
                value,
            }
        }
    }
}
