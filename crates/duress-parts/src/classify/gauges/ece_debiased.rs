//! The expected calibration error without the bias that noise within bins gives it.
//!
//! # What it does
//! Takes the error over `bins` equal-width bins, as `ece` does, and subtracts what noise alone is
//! expected to add: in each bin with accuracy a over n items the observed accuracy varies with
//! variance a(1 − a)/n, and the mean absolute gap of a normal variable of that spread exceeds its
//! centre by a known amount.
//!
//! # Why it matters
//! The plug-in ECE of a perfectly calibrated subject is not 0, but grows with the number of bins
//! and shrinks with the number of items; two subjects tested on different numbers of items cannot
//! be compared by it.
//!
//! # Promise
//! Lower is better, 0 is perfect. It may fall below 0, which means no miscalibration that stands
//! out of the noise. In bins where all or none are right no noise is seen, and none is taken off.
//! Items without an answer do not take part; answers without a confidence leave it undefined.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["accuracy", "ece-debiased"]
//! ```
//!
//! # Reference
//! A. Kumar, P. Liang and T. Ma, Verified uncertainty calibration, NeurIPS 2019, who draw the
//! expectation that is taken here in closed form.

use duress_core::gauge::Gauge;
use duress_core::part::{Build, Part};
use duress_stats::statistic::{Edges, Gap};

use crate::classify::frame::calibration_error::{BINS, CalibrationGauge, TwoClasses};

/// The part.
pub static PART: Part = Part {
    name: "ece-debiased",
    version: 1,
    fields: &[BINS],
    source: include_str!("ece_debiased.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Cell(Box::new(CalibrationGauge {
            bins: params.count("bins"),
            convention: |bins| {
                format!(
                    "top-label, {bins} equal-width bins (lo, hi], minus the normal bias of the plug-in; may be below 0"
                )
            },
            edges: Edges::AboveLow,
            gap: Gap::Debiased,
            two_classes: TwoClasses::TopLabel,
            compat: false,
        })))
    }),
};
