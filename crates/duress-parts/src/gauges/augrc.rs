//! The area under the generalised risk–coverage curve: how often a subject is wrong without noticing.
//!
//! # What it does
//! Averages over all coverages the share of all items that is both answered and wrong. Equal to (1 − AUROC)·a·(1 − a) + (1 −
//! a)²/2 with accuracy a and the AUROC of confidence for right against wrong; ties count half.
//!
//! # Why it matters
//! In AURC the few surest items weigh most. Here every undetected error weighs the same, which is closer to what a failure
//! costs.
//!
//! # Promise
//! Lower is better, 0 is perfect; 0.5 is all wrong. Items without an answer do not take part; answers without a confidence leave
//! it undefined.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["accuracy", "augrc"]
//! ```
//!
//! # Reference
//! J. Traub et al., Overcoming common flaws in the evaluation of selective classification systems, NeurIPS 2024. FD-Shifts
//! prints it times 1000.

use std::sync::Arc;

use duress_core::answer::Answers;
use duress_core::gauge::{CellGauge, Direction, Gauge, Meter, Scale, Undefined, Unit};
use duress_core::part::{Build, Part};
use duress_core::question::Question;
use duress_core::truth::Truth;
use duress_stats::statistic;

use crate::confidence::{CONFIDENCE, Kind, TEMPERATURE, sureness};

/// The part.
pub static PART: Part = Part {
    name: "augrc",
    version: 1,
    fields: &[CONFIDENCE, TEMPERATURE],
    source: include_str!("augrc.rs"),
    build: Build::Gauge(|params| Ok(Gauge::Cell(Box::new(Augrc { kind: Kind::of(params) })))),
};

struct Augrc {
    kind: Kind,
}

impl CellGauge for Augrc {
    fn scale(&self) -> Scale {
        Scale {
            reads: Question::Classes,
            direction: Direction::Lower,
            best: Some(0.0),
            unit: Unit::Items,
            convention: format!(
                "trapezoids at every distinct confidence, from coverage 0; {}",
                self.kind.in_words()
            ),
            compat: false,
        }
    }

    fn open(&self, truth: &Truth, answers: &Answers) -> Result<Arc<dyn Meter>, Undefined> {
        let sure = sureness(truth, answers, self.kind)?;
        let area = statistic::Augrc::new(&sure.confidence, &sure.right);
        sure.meter(area)
    }
}
