//! The expected calibration error over bins that hold equally many items.
//!
//! # What it does
//! Cuts the items, in order of the confidence in their answer, into `bins` bins that end at
//! quantiles of the confidences; takes in each bin the distance between mean confidence and
//! accuracy; and averages, each bin weighted by its items. Equal confidences stay in one bin.
//!
//! # Why it matters
//! Most confidences of a modern network lie close to 1, where bins of equal width do not look
//! closely.
//!
//! # Promise
//! Lower is better, 0 is perfect. The estimate is biased upward, as `ece` is. It does not depend on
//! the order of items. Items without an answer do not take part; answers without a confidence leave
//! it undefined.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["accuracy", "ece-equal-mass"]
//! ```
//!
//! # Reference
//! K. Nguyen and B. O'Connor, Posterior calibration and exploratory analysis, EMNLP 2015.

use std::sync::Arc;

use duress_core::gauge::{CellGauge, CellRead, Gauge, Meter, Scale, Undefined};
use duress_core::part::{Build, Part};
use duress_stats::statistic;

use crate::classify::frame::calibration_error::{bins, scale};
use crate::classify::frame::confidence::{ConfidenceKind, sureness};

/// The part.
pub static PART: Part = Part {
    name: "ece-equal-mass",
    version: 1,
    fields: &[bins("how many bins of equal mass")],
    source: include_str!("ece_equal_mass.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Cell(Box::new(EceEqualMass {
            bins: params.count("bins"),
        })))
    }),
};

struct EceEqualMass {
    bins: usize,
}

impl CellGauge for EceEqualMass {
    fn scale(&self) -> Scale {
        scale(format!(
            "top-label, {} bins of equal mass (q, q'], equal confidences together",
            self.bins
        ))
    }

    fn counts_noise(&self) -> bool {
        true
    }

    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        let sure = sureness(read, ConfidenceKind::SoftmaxMax)?;
        let error = statistic::EqualMassEce::from_confidences(&sure.of, self.bins);
        sure.meter(error)
    }
}
