//! The area under the risk–coverage curve as FD-Shifts draws it.
//!
//! # What it does
//! Has a point at every distinct confidence, goes on flat from the first to coverage 0, and adds trapezoids between them.
//!
//! # Why it matters
//! A published number can be reproduced. With many ties it differs from `aurc`, which takes tied items in expectation.
//!
//! # Promise
//! Lower is better, 0 is perfect. Marked `compat`: it copies another tool. FD-Shifts prints it times 1000; here it is not
//! scaled. Items without an answer do not take part; answers without a confidence leave it undefined.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["accuracy", "aurc-fd-shifts"]
//! ```
//!
//! # Reference
//! P. Jaeger et al., A call to reflect on evaluation practices for failure detection in image classification, ICLR 2023, and the
//! code of FD-Shifts.

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
    name: "aurc-fd-shifts",
    version: 1,
    fields: &[CONFIDENCE, TEMPERATURE],
    source: include_str!("aurc_fd_shifts.rs"),
    build: Build::Gauge(|params| Ok(Gauge::Cell(Box::new(AurcFdShifts { kind: Kind::of(params) })))),
};

struct AurcFdShifts {
    kind: Kind,
}

impl CellGauge for AurcFdShifts {
    fn scale(&self) -> Scale {
        Scale {
            reads: Question::Classes,
            direction: Direction::Lower,
            best: Some(0.0),
            unit: Unit::Items,
            convention: format!(
                "FD-Shifts: trapezoids at distinct confidences, flat to 0, unscaled; {}",
                self.kind.in_words()
            ),
            compat: true,
        }
    }

    fn open(&self, truth: &Truth, answers: &Answers) -> Result<Arc<dyn Meter>, Undefined> {
        let sure = sureness(truth, answers, self.kind)?;
        let area = RiskTrapezoid::new(&sure.confidence, &sure.right, Points::Distinct);
        sure.meter(area)
    }
}
