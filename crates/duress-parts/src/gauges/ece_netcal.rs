//! The expected calibration error with the bins of netcal.
//!
//! # What it does
//! As `ece`, but with bins [lo, hi), the last closed above; ten of them unless `bins` says otherwise.
//!
//! # Why it matters
//! A published number can be reproduced, and the difference to `ece` seen: it lies in confidences exactly on an edge, and in the
//! number of bins.
//!
//! # Promise
//! Lower is better, 0 is perfect. Marked `compat`: it copies another tool.
//!
//! # Example
//! ```toml
//! [gauge.published-ece]
//! use = "ece-netcal"
//! bins = 10
//! ```
//!
//! # Reference
//! netcal, `netcal.metrics.ECE`.

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
    name: "ece-netcal",
    version: 1,
    fields: &[Field {
        name: "bins",
        takes: Takes::Whole(1, 1000),
        doc: "how many bins of equal width",
        default: Some("10"),
    }],
    source: include_str!("ece_netcal.rs"),
    build: Build::Gauge(|params| Ok(Gauge::Cell(Box::new(EceNetcal { bins: params.count("bins") })))),
};

struct EceNetcal {
    bins: usize,
}

impl CellGauge for EceNetcal {
    fn scale(&self) -> Scale {
        Scale {
            reads: Question::Classes,
            direction: Direction::Lower,
            best: Some(0.0),
            unit: Unit::Items,
            convention: format!(
                "netcal: top-label, {} equal-width bins [lo, hi), the last closed above",
                self.bins
            ),
            compat: true,
        }
    }

    fn open(&self, truth: &Truth, answers: &Answers) -> Result<Arc<dyn Meter>, Undefined> {
        let sure = sureness(truth, answers, Kind::SoftmaxMax)?;
        let error = Calibration::new(&sure.confidence, &sure.right, self.bins, Edges::BelowHigh, Gap::Mean);
        sure.meter(error)
    }
}
