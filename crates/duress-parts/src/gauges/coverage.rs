//! The share of items that a subject would answer if it may refuse what it is not sure of.
//!
//! # What it does
//! Gives the share of answered items that is accepted. Accepted is what has a confidence above `threshold`; with `coverage` set,
//! at least that share of the items, the surest, with equal confidences together, so that coverage may be a little higher and
//! never lower.
//!
//! # Why it matters
//! A selective accuracy means nothing without the share it is reached on.
//!
//! # Promise
//! Higher is better at the same threshold, 1 is all. Items without an answer do not take part; answers without a confidence
//! leave it undefined.
//!
//! # Example
//! ```toml
//! [gauge.coverage-above-90]
//! use = "coverage"
//! threshold = 0.9
//! ```
//!
//! # Reference
//! R. El-Yaniv and Y. Wiener, On the foundations of noise-free selective classification, JMLR 2010.

use std::sync::Arc;

use duress_core::answer::Answers;
use duress_core::gauge::{CellGauge, Direction, Gauge, Meter, SHARE, Scale, Undefined};
use duress_core::part::{Build, Part};
use duress_core::truth::Truth;
use duress_stats::statistic::Selection;

use crate::selecting::{FIELDS, Selecting};

/// The part.
pub static PART: Part = Part {
    name: "coverage",
    version: 1,
    fields: &FIELDS,
    source: include_str!("coverage.rs"),
    build: Build::Gauge(|params| Ok(Gauge::Cell(Box::new(Coverage(Selecting::of(params)?))))),
};

struct Coverage(Selecting);

impl CellGauge for Coverage {
    fn scale(&self) -> Scale {
        self.0.scale("share accepted", Direction::Higher, None, SHARE)
    }

    fn open(&self, truth: &Truth, answers: &Answers) -> Result<Arc<dyn Meter>, Undefined> {
        self.0.open(truth, answers, Selection::Coverage)
    }
}
