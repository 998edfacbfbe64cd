//! The expected calibration error: how far confidence is from accuracy, on average over bins of
//! confidence.
//!
//! # What it does
//! Sorts items into `bins` equal-width bins of the confidence in their answer, (lo, hi], the first
//! closed below; takes in each bin the distance between mean confidence and accuracy; and averages,
//! each bin weighted by its items. Its detail is the bins, as a reliability diagram shows them.
//!
//! # Why it matters
//! A subject whose 90 % means 90 % can be trusted to say when it does not know. Stress usually
//! makes subjects wrong faster than it makes them unsure.
//!
//! # Promise
//! Lower is better, 0 is perfect. The estimate is biased upward: noise within a bin counts as
//! miscalibration, more so with few items or many bins. Items without an answer do not take part;
//! answers without a confidence leave it undefined.
//!
//! # Example
//! ```toml
//! [gauge.ece-10]
//! use = "ece"
//! bins = 10
//! ```
//!
//! # Reference
//! C. Guo et al., On calibration of modern neural networks, ICML 2017.

use std::sync::Arc;

use duress_core::gauge::{Bin, CellGauge, CellRead, Detail, Gauge, Meter, Scale, Undefined};
use duress_core::part::{Build, Part};
use duress_stats::statistic::{self, BinCounts, Calibration, Edges, Gap};

use crate::classify::frame::calibration_error::{bins, scale};
use crate::classify::frame::confidence::{ConfidenceKind, sureness};

/// The part.
pub static PART: Part = Part {
    name: "ece",
    version: 1,
    fields: &[bins("how many bins of equal width")],
    source: include_str!("ece.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Cell(Box::new(Ece {
            bins: params.count("bins"),
        })))
    }),
};

struct Ece {
    bins: usize,
}

impl CellGauge for Ece {
    fn scale(&self) -> Scale {
        scale(format!(
            "top-label, {} equal-width bins (lo, hi], the first closed below",
            self.bins
        ))
    }

    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        let sure = sureness(read, ConfidenceKind::SoftmaxMax)?;
        let ece = statistic::EqualWidthEce::from_confidences(&sure.of, self.bins);
        sure.meter(ece)
    }

    fn detail(&self, read: CellRead<'_>) -> Option<Detail> {
        let sure = sureness(read, ConfidenceKind::SoftmaxMax).ok()?;
        let binned =
            Calibration::from_confidences(&sure.of, self.bins, Edges::AboveLow, Gap::Mean).ok()?;
        let held = binned.bin_counts(&vec![1; sure.of.values().len()]);
        let bins = held.iter().take(self.bins).enumerate();
        Some(Detail::Bins(
            bins.map(|(at, held)| self.bin(at, held)).collect(),
        ))
    }
}

impl Ece {
    fn bin(&self, at: usize, held: &BinCounts) -> Bin {
        let edge = |k: usize| k as f64 / self.bins as f64;
        let share = |sum: f64| (held.n > 0).then(|| sum / held.n as f64);
        Bin {
            low: edge(at),
            high: edge(at + 1),
            n: held.n as usize,
            confidence: share(held.confidence),
            accuracy: share(held.right as f64),
        }
    }
}
