//! The harmonic mean of precision and recall of a class, and its mean over classes.
//!
//! # What it does
//! With `class`, 2·hits / (items of the class + items said to be of it). Without, the unweighted (macro) mean over the classes
//! that some answered item has or was said to have. Its detail is every class.
//!
//! # Why it matters
//! It is high only when both precision and recall are, and in the mean a rare class counts as much as a frequent one.
//!
//! # Promise
//! Higher is better, 1 is perfect. A class without items or without answers has an undefined rate, named, and never stops the
//! others. A resample that misses a class which is there has no value. Items without an answer do not take part.
//!
//! # Example
//! ```toml
//! [gauge.melanoma-f1]
//! use = "f1"
//! class = "MEL"
//! ```
//!
//! # Reference
//! scikit-learn, `sklearn.metrics.f1_score` with `average="macro"`, gives the same mean. C. J. van Rijsbergen, Information
//! Retrieval, 1979.

use std::sync::Arc;

use duress_core::answer::Answers;
use duress_core::gauge::{CellGauge, Detail, Direction, Gauge, Meter, Scale, Undefined, Unit};
use duress_core::part::{Build, Part};
use duress_core::question::Question;
use duress_core::truth::Truth;

use crate::confused::{self, Over};

/// The part.
pub static PART: Part = Part {
    name: "f1",
    version: 1,
    fields: &[confused::CLASS],
    source: include_str!("f1.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Cell(Box::new(F1 { class: params.text_if("class").map(Into::into) })))
    }),
};

struct F1 {
    class: Option<String>,
}

impl CellGauge for F1 {
    fn scale(&self) -> Scale {
        Scale {
            reads: Question::Classes,
            direction: Direction::Higher,
            best: Some(1.0),
            unit: Unit::Items,
            convention: match &self.class {
                Some(class) => format!("2·hits / (items of a class + items said to be of it): `{class}`"),
                None => "2·hits / (items of a class + items said to be of it), mean over the classes that are there or were said".into(),
            },
            compat: false,
        }
    }

    fn open(&self, truth: &Truth, answers: &Answers) -> Result<Arc<dyn Meter>, Undefined> {
        confused::rate_meter(truth, answers, self.class.as_deref(), Over::ThereOrSaid, confused::f1)
    }

    fn detail(&self, truth: &Truth, answers: &Answers) -> Option<Detail> {
        confused::groups(truth, answers, confused::f1, |counts, class| counts.support(class))
    }
}
