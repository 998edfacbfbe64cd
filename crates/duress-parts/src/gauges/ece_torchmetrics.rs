//! The expected calibration error with the bins of torchmetrics.
//!
//! # What it does
//! As `ece`, but with bins [lo, hi) whose edges are those of `torch.linspace`, a bin of its own for a confidence of exactly 1, and
//! confidences rounded to single precision.
//!
//! # Why it matters
//! A published number can be reproduced, and the difference to `ece` seen: it is large when many confidences are exactly 1 or on
//! an edge.
//!
//! # Promise
//! Lower is better, 0 is perfect. Marked `compat`: it copies another tool, which computes in single precision whatever it is
//! given; sums are in double precision here, so the two agree to about 1e-6.
//!
//! # Example
//! ```toml
//! [gauge.published-ece]
//! use = "ece-torchmetrics"
//! bins = 15
//! ```
//!
//! # Reference
//! torchmetrics, `MulticlassCalibrationError(norm="l1")`.

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
    name: "ece-torchmetrics",
    version: 1,
    fields: &[Field {
        name: "bins",
        takes: Takes::Whole(1, 1000),
        doc: "how many bins of equal width",
        default: Some("15"),
    }],
    source: include_str!("ece_torchmetrics.rs"),
    build: Build::Gauge(|params| Ok(Gauge::Cell(Box::new(EceTorchmetrics { bins: params.count("bins") })))),
};

struct EceTorchmetrics {
    bins: usize,
}

impl CellGauge for EceTorchmetrics {
    fn scale(&self) -> Scale {
        Scale {
            reads: Question::Classes,
            direction: Direction::Lower,
            best: Some(0.0),
            unit: Unit::Items,
            convention: format!(
                "torchmetrics: top-label, {} equal-width bins [lo, hi), confidence 1 apart, float32",
                self.bins
            ),
            compat: true,
        }
    }

    fn open(&self, truth: &Truth, answers: &Answers) -> Result<Arc<dyn Meter>, Undefined> {
        let sure = sureness(truth, answers, Kind::SoftmaxMax)?;
        let error = Calibration::new(&sure.confidence, &sure.right, self.bins, Edges::OneApart, Gap::Mean);
        sure.meter(error)
    }
}
