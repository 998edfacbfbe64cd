//! The area under the risk–coverage curve as Torch-Uncertainty draws it.
//!
//! # What it does
//! Has a point after every item, equal confidences in the order of the file, and adds trapezoids from coverage 1/n to 1, divided
//! by 1 − 1/n.
//!
//! # Why it matters
//! A published number can be reproduced.
//!
//! # Promise
//! Lower is better, 0 is perfect. Marked `compat`: it copies another tool, and with ties it depends on the order of items. One
//! item leaves it undefined. Items without an answer do not take part; answers without a confidence leave it undefined.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["accuracy", "aurc-torch-uncertainty"]
//! ```
//!
//! # Reference
//! Torch-Uncertainty, `torch_uncertainty.metrics.classification.AURC`.

use std::sync::Arc;

use duress_core::answer::Answers;
use duress_core::gauge::{CellGauge, Direction, Gauge, Meter, Scale, Undefined, Unit};
use duress_core::part::{Build, Part};
use duress_core::question::Question;
use duress_core::truth::Truth;
use duress_stats::statistic::{Points, RiskTrapezoid};

use crate::confidence::{CONFIDENCE, Kind, TEMPERATURE, sureness};

/// The part.
pub static PART: Part = Part {
    name: "aurc-torch-uncertainty",
    version: 1,
    fields: &[CONFIDENCE, TEMPERATURE],
    source: include_str!("aurc_torch_uncertainty.rs"),
    build: Build::Gauge(|params| Ok(Gauge::Cell(Box::new(AurcTorchUncertainty { kind: Kind::of(params) })))),
};

struct AurcTorchUncertainty {
    kind: Kind,
}

impl CellGauge for AurcTorchUncertainty {
    fn scale(&self) -> Scale {
        Scale {
            reads: Question::Classes,
            direction: Direction::Lower,
            best: Some(0.0),
            unit: Unit::Items,
            convention: format!(
                "Torch-Uncertainty: trapezoids item by item over [1/n, 1]; {}",
                self.kind.in_words()
            ),
            compat: true,
        }
    }

    fn open(&self, truth: &Truth, answers: &Answers) -> Result<Arc<dyn Meter>, Undefined> {
        let sure = sureness(truth, answers, self.kind)?;
        let area = RiskTrapezoid::new(&sure.confidence, &sure.right, Points::Every);
        sure.meter(area)
    }
}
