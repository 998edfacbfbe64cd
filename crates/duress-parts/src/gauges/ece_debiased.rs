//! The expected calibration error without the bias that noise within bins gives it.
//!
//! # What it does
//! Takes the error over `bins` equal-width bins, as `ece` does, and subtracts what noise alone is expected to add: in each bin
//! with accuracy a over n items the observed accuracy varies with variance a(1 − a)/n, and the mean absolute gap of a normal
//! variable of that spread exceeds its centre by a known amount.
//!
//! # Why it matters
//! The plug-in ECE of a perfectly calibrated subject is not 0, but grows with the number of bins and shrinks with the number of
//! items; two subjects tested on different numbers of items cannot be compared by it.
//!
//! # Promise
//! Lower is better, 0 is perfect. It may fall below 0, which means no miscalibration that stands out of the noise. In bins where
//! all or none are right no noise is seen, and none is taken off. Items without an answer do not take part; answers without a
//! confidence leave it undefined.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["accuracy", "ece-debiased"]
//! ```
//!
//! # Reference
//! A. Kumar, P. Liang and T. Ma, Verified uncertainty calibration, NeurIPS 2019, who draw the expectation that is taken here in
//! closed form.

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
    name: "ece-debiased",
    version: 1,
    fields: &[Field {
        name: "bins",
        takes: Takes::Whole(1, 1000),
        doc: "how many bins of equal width",
        default: Some("15"),
    }],
    source: include_str!("ece_debiased.rs"),
    build: Build::Gauge(|params| Ok(Gauge::Cell(Box::new(EceDebiased { bins: params.count("bins") })))),
};

struct EceDebiased {
    bins: usize,
}

impl CellGauge for EceDebiased {
    fn scale(&self) -> Scale {
        Scale {
            reads: Question::Classes,
            direction: Direction::Lower,
            best: Some(0.0),
            unit: Unit::Items,
            convention: format!(
                "top-label, {} equal-width bins (lo, hi], minus the normal bias of the plug-in; may be below 0",
                self.bins
            ),
            compat: false,
        }
    }

    fn open(&self, truth: &Truth, answers: &Answers) -> Result<Arc<dyn Meter>, Undefined> {
        let sure = sureness(truth, answers, Kind::SoftmaxMax)?;
        let error =
            Calibration::new(&sure.confidence, &sure.right, self.bins, Edges::AboveLow, Gap::Debiased);
        sure.meter(error)
    }
}
