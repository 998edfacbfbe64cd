//! The area under the risk–coverage curve minus the error rate: what confidence gains over none.
//!
//! # What it does
//! Subtracts from `aurc` the share of answers that is wrong, which is what confidence without any meaning would reach in
//! expectation.
//!
//! # Why it matters
//! Below 0, the confidence helps to choose what to refuse; at 0 it is worth as much as a die. Some call this excess AURC, which
//! it is not: see `e-aurc`.
//!
//! # Promise
//! Lower is better; 0 is meaningless confidence, and also what perfect answers give. Items without an answer do not take part;
//! answers without a confidence leave it undefined.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["accuracy", "aurc-minus-error-rate"]
//! ```
//!
//! # Reference
//! The subtraction that some code publishes under the name of E-AURC; kept under a name that says what it is.

use std::sync::Arc;

use duress_core::answer::Answers;
use duress_core::gauge::{CellGauge, Direction, Gauge, Meter, Scale, Undefined, Unit};
use duress_core::part::{Build, Part};
use duress_core::question::Question;
use duress_core::truth::Truth;
use duress_stats::statistic::{Aurc, ExcessAurc, Reference};

use crate::confidence::{CONFIDENCE, Kind, TEMPERATURE, sureness};

/// The part.
pub static PART: Part = Part {
    name: "aurc-minus-error-rate",
    version: 1,
    fields: &[CONFIDENCE, TEMPERATURE],
    source: include_str!("aurc_minus_error_rate.rs"),
    build: Build::Gauge(|params| Ok(Gauge::Cell(Box::new(AurcMinusErrorRate { kind: Kind::of(params) })))),
};

struct AurcMinusErrorRate {
    kind: Kind,
}

impl CellGauge for AurcMinusErrorRate {
    fn scale(&self) -> Scale {
        Scale {
            reads: Question::Classes,
            direction: Direction::Lower,
            best: None,
            unit: Unit::Items,
            convention: format!(
                "AURC (mean risk over coverages, ties in expectation) minus the error rate; {}",
                self.kind.in_words()
            ),
            compat: false,
        }
    }

    fn open(&self, truth: &Truth, answers: &Answers) -> Result<Arc<dyn Meter>, Undefined> {
        let sure = sureness(truth, answers, self.kind)?;
        let area =
            Aurc::new(&sure.confidence, &sure.right).map(|aurc| ExcessAurc::new(aurc, Reference::Random));
        sure.meter(area)
    }
}
