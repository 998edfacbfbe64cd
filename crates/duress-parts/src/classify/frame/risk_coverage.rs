//! What gauges of the area under a risk–coverage curve share: their keys, their scale and how they
//! are opened.

use std::sync::Arc;

use duress_core::gauge::{
    CellGauge, CellRead, Direction, Meter, SHARE, SIGNED, Scale, Undefined, Unit,
};
use duress_core::part::{Field, Params};
use duress_core::question::Question;
use duress_stats::statistic::{Confidences, Statistic};

use crate::classify::frame::confidence::{CONFIDENCE, ConfidenceKind, TEMPERATURE, sureness};

/// The keys.
pub(crate) static FIELDS: [Field; 2] = [CONFIDENCE, TEMPERATURE];

/// An area under a curve of risk over coverage.
pub(crate) struct RiskCoverageGauge {
    /// What is taken for confidence.
    pub(crate) kind: ConfidenceKind,
    /// The convention, apart from that.
    pub(crate) what: &'static str,
    /// What perfect confidence gives.
    pub(crate) best: Option<f64>,
    /// Whether it copies another tool.
    pub(crate) compat: bool,
    /// The area.
    pub(crate) area: fn(&Arc<Confidences>) -> Box<dyn Statistic + Send>,
}

impl RiskCoverageGauge {
    /// An area of our own convention, of which 0 is the best.
    pub(crate) fn new(
        params: &Params,
        what: &'static str,
        area: fn(&Arc<Confidences>) -> Box<dyn Statistic + Send>,
    ) -> RiskCoverageGauge {
        RiskCoverageGauge {
            kind: ConfidenceKind::from_params(params),
            what,
            best: Some(0.0),
            compat: false,
            area,
        }
    }
}

impl CellGauge for RiskCoverageGauge {
    fn scale(&self) -> Scale {
        Scale {
            reads: Question::Classes,
            direction: Direction::Lower,
            best: self.best,
            ends: self.best.map_or(SIGNED, |_| SHARE),
            unit: Unit::Items,
            convention: format!("{}; {}", self.what, self.kind.in_words()),
            compat: self.compat,
        }
    }

    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        let sure = sureness(read, self.kind)?;
        let area = (self.area)(&sure.of);
        sure.meter(Ok(area))
    }
}
