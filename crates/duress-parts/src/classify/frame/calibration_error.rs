//! What gauges of calibration over bins of equal width share: their key, their scale and how they
//! are opened.

use std::sync::Arc;

use duress_core::gauge::{CellGauge, CellRead, Direction, Meter, SHARE, Scale, Undefined, Unit};
use duress_core::part::{Field, Takes};
use duress_core::question::Question;
use duress_stats::statistic::{Calibration, Edges, Gap};

use crate::classify::frame::confidence::{ConfidenceKind, sureness};

/// The key.
pub(crate) const BINS: Field = bins("how many bins of equal width");

/// A gap between confidence and accuracy over bins.
pub(crate) struct CalibrationGauge {
    /// How many bins there are.
    pub(crate) bins: usize,
    /// The convention, told from the number of bins.
    pub(crate) convention: fn(usize) -> String,
    /// To which bin an edge belongs.
    pub(crate) edges: Edges,
    /// What is made of the gaps.
    pub(crate) gap: Gap,
    /// Whether it copies another tool.
    pub(crate) compat: bool,
}

impl CellGauge for CalibrationGauge {
    fn scale(&self) -> Scale {
        let plain = scale((self.convention)(self.bins));
        Scale {
            // What is taken off for noise may be more than there is.
            ends: match self.gap {
                Gap::Debiased => (None, Some(1.0)),
                _ => plain.ends,
            },
            compat: self.compat,
            ..plain
        }
    }

    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        let sure = sureness(read, ConfidenceKind::SoftmaxMax)?;
        let error = Calibration::from_confidences(&sure.of, self.bins, self.edges, self.gap);
        sure.meter(error)
    }
}

/// The key that says how many bins there are.
pub(crate) const fn bins(doc: &'static str) -> Field {
    Field {
        name: "bins",
        takes: Takes::Whole(1, 1000),
        doc,
        default: Some("15"),
    }
}

/// What an error between 0 and 1 is like.
pub(crate) fn scale(convention: String) -> Scale {
    Scale {
        reads: Question::Classes,
        direction: Direction::Lower,
        best: Some(0.0),
        ends: SHARE,
        unit: Unit::Items,
        convention,
        compat: false,
    }
}
