//! The maximum calibration error: the largest distance between confidence and accuracy in any bin of confidence.
//!
//! # What it does
//! Sorts items into `bins` equal-width bins of the confidence in their answer, (lo, hi], the first closed below, and gives the
//! largest distance between mean confidence and accuracy among the bins that hold an item.
//!
//! # Why it matters
//! An average can hide a range of confidence in which a subject is far off; a worst case cannot.
//!
//! # Promise
//! Lower is better, 0 is perfect. A bin with one item counts as much as one with thousands, so it is noisy: look at its
//! interval, and at the bins of `ece`. Items without an answer do not take part; answers without a confidence leave it
//! undefined.
//!
//! # Example
//! ```toml
//! [gauge.mce-10]
//! use = "mce"
//! bins = 10
//! ```
//!
//! # Reference
//! M. Pakdaman Naeini et al., Obtaining well calibrated probabilities using Bayesian binning, AAAI 2015.

use std::sync::Arc;

use duress_core::answer::Answers;
use duress_core::gauge::{CellGauge, Direction, Gauge, Meter, Scale, Undefined, Unit};
use duress_core::part::{Build, Field, Part, Takes};
use duress_core::question::Question;
use duress_core::truth::Truth;
use duress_stats::statistic::{Calibration, Edges, Gap};

use crate::confidence::{Kind, sureness};

/// The part.
pub static PART: Part = Part {
    name: "mce",
    version: 1,
    fields: &[Field {
        name: "bins",
        takes: Takes::Whole(1, 1000),
        doc: "how many bins of equal width",
        default: Some("15"),
    }],
    source: include_str!("mce.rs"),
    build: Build::Gauge(|params| Ok(Gauge::Cell(Box::new(Mce { bins: params.count("bins") })))),
};

struct Mce {
    bins: usize,
}

impl CellGauge for Mce {
    fn scale(&self) -> Scale {
        Scale {
            reads: Question::Classes,
            direction: Direction::Lower,
            best: Some(0.0),
            unit: Unit::Items,
            convention: format!(
                "largest gap over {} equal-width bins (lo, hi], the first closed below; top label",
                self.bins
            ),
            compat: false,
        }
    }

    fn open(&self, truth: &Truth, answers: &Answers) -> Result<Arc<dyn Meter>, Undefined> {
        let sure = sureness(truth, answers, Kind::SoftmaxMax)?;
        let error = Calibration::new(&sure.confidence, &sure.right, self.bins, Edges::AboveLow, Gap::Largest);
        sure.meter(error)
    }
}
