//! How well a learnt graph predicts windows that its learner did not see.
//!
//! # What it does
//! The mean over windows of the log-density that the rater `graph-likelihood` gives them: per
//! observed value, in nats, of values standardised within their regime. Higher is better. A
//! difference of 0.1 means that a value is on average 1.1 times as likely.
//!
//! # Why it matters
//! It has a value where F1 has none: on data without a known graph, and under a shift, where the
//! graph carried over stays what it is and only what it predicts can change.
//!
//! # Promise
//! The unit is the window. A window with nothing to predict does not take part. Compare subjects on
//! the same dataset: its level depends on how predictable the data are.
//!
//! # Example
//! ```toml
//! [rater.prediction]
//! use = "graph-likelihood"
//!
//! [analysis]
//! gauges = ["held-out-likelihood"]
//! ```
//!
//! # Reference
//! Dawid, Present position and potential developments: the prequential approach, *JRSS A* 147
//! (1984) 278–292.

use std::sync::Arc;

use duress_core::gauge::{CellGauge, CellRead, Direction, Gauge, Meter, Scale, Undefined, Unit};
use duress_core::part::{Build, Part};
use duress_core::question::Question;

use crate::shared::frame::ratings::mean_rating;

/// The part.
pub static PART: Part = Part {
    name: "held-out-likelihood",
    version: 1,
    fields: &[],
    source: include_str!("held_out_likelihood.rs"),
    build: Build::Gauge(|_| Ok(Gauge::Cell(Box::new(HeldOutLikelihood)))),
};

struct HeldOutLikelihood;

impl CellGauge for HeldOutLikelihood {
    fn scale(&self) -> Scale {
        Scale {
            reads: Question::Ratings,
            direction: Direction::Higher,
            best: None,
            ends: (None, None),
            unit: Unit::Items,
            convention: "mean over windows of the log-density per observed value, in nats; the graph is carried over, its \
                         coefficients are cross-fitted on the windows tested on"
                .into(),
            compat: false,
        }
    }

    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        mean_rating(read, "log-likelihood")
    }
}
