//! What gauges of selective prediction share: their keys, what is accepted, and the curve over thresholds.

use std::sync::Arc;

use duress_core::answer::Answers;
use duress_core::gauge::{Accepted, Detail, Direction, Meter, Scale, Undefined, Unit};
use duress_core::part::{Field, Params, Takes};
use duress_core::question::Question;
use duress_core::truth::Truth;
use duress_stats::statistic::{Gate, Selection, Selective, Statistic};

use crate::confidence::{CONFIDENCE, Kind, TEMPERATURE, sureness};

/// The keys of a gauge at a threshold.
pub(crate) static FIELDS: [Field; 4] = [THRESHOLD, COVERAGE, CONFIDENCE, TEMPERATURE];

const THRESHOLD: Field = Field {
    name: "threshold",
    takes: Takes::Number(-f64::MAX, f64::MAX),
    doc: "what has a higher confidence than this is accepted; not used when `coverage` is set",
    default: Some("0.8"),
};

const COVERAGE: Field = Field {
    name: "coverage",
    takes: Takes::Number(1e-6, 1.0),
    doc: "accept at least this share of the items, the surest; the threshold follows from it",
    default: Some(""),
};

/// How a gauge of selective prediction is set.
pub(crate) struct Selecting {
    gate: Gate,
    kind: Kind,
}

impl Selecting {
    /// What the keys say.
    pub(crate) fn of(params: &Params) -> Selecting {
        let gate = match params.number_if("coverage") {
            Some(share) => Gate::Covering(share),
            None => Gate::Above(params.number("threshold")),
        };
        Selecting { gate, kind: Kind::of(params) }
    }

    /// The scale of a gauge that reads `what`.
    pub(crate) fn scale(&self, what: &str, direction: Direction, best: Option<f64>) -> Scale {
        let gate = match self.gate {
            Gate::Above(threshold) => format!("accepted where confidence > {threshold}"),
            Gate::Covering(share) => {
                format!("accepted the surest, at least {share} of all, equal confidences together")
            }
        };
        Scale {
            reads: Question::Classes,
            direction,
            best,
            unit: Unit::Items,
            convention: format!("{what}; {gate}; {}", self.kind.in_words()),
            compat: false,
        }
    }

    /// The meter of one number.
    pub(crate) fn open(
        &self,
        truth: &Truth,
        answers: &Answers,
        read: Selection,
    ) -> Result<Arc<dyn Meter>, Undefined> {
        let sure = sureness(truth, answers, self.kind)?;
        let selective = Selective::new(&sure.confidence, &sure.right, self.gate, read);
        sure.meter(selective)
    }

    /// What is accepted at fifty thresholds from 0.50 to 0.99.
    pub(crate) fn thresholds(&self, truth: &Truth, answers: &Answers) -> Option<Detail> {
        let sure = sureness(truth, answers, self.kind).ok()?;
        let at = |k: u32| {
            let threshold = f64::from(50 + k) / 100.0;
            let read = |read| {
                Selective::new(&sure.confidence, &sure.right, Gate::Above(threshold), read).ok()?.value().ok()
            };
            let coverage = read(Selection::Coverage)?;
            Some(Accepted { threshold, coverage, accuracy: read(Selection::Accuracy) })
        };
        Some(Detail::Thresholds((0..50).filter_map(at).collect()))
    }
}
