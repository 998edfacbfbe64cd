//! The share of a class that is found, and its mean over classes.
//!
//! # What it does
//! With `class`, the share of that class's items that was said to be of it. Without, the mean over the classes that some
//! answered item has, each counting the same; that is balanced accuracy. Its detail is every class.
//!
//! # Why it matters
//! A subject may be right most of the time and never find the class that matters.
//!
//! # Promise
//! Higher is better, 1 is perfect. A class without items or without answers has an undefined rate, named, and never stops the
//! others. A resample that misses a class which is there has no value. Items without an answer do not take part.
//!
//! # Example
//! ```toml
//! [gauge.melanoma-recall]
//! use = "recall"
//! class = "MEL"
//! ```
//!
//! # Reference
//! scikit-learn, `sklearn.metrics.recall_score`, over the labels that occur in the truth.

use std::sync::Arc;

use duress_core::answer::Answers;
use duress_core::gauge::{CellGauge, Detail, Direction, Gauge, Meter, Scale, Undefined, Unit};
use duress_core::part::{Build, Part};
use duress_core::question::Question;
use duress_core::truth::Truth;

use crate::confused::{self, Over};

/// The part.
pub static PART: Part = Part {
    name: "recall",
    version: 1,
    fields: &[confused::CLASS],
    source: include_str!("recall.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Cell(Box::new(Recall { class: params.text_if("class").map(Into::into) })))
    }),
};

struct Recall {
    class: Option<String>,
}

impl CellGauge for Recall {
    fn scale(&self) -> Scale {
        Scale {
            reads: Question::Classes,
            direction: Direction::Higher,
            best: Some(1.0),
            unit: Unit::Items,
            convention: match &self.class {
                Some(class) => format!("share of a class that was said to be of it: `{class}`"),
                None => {
                    "share of a class that was said to be of it, mean over the classes that are there".into()
                }
            },
            compat: false,
        }
    }

    fn open(&self, truth: &Truth, answers: &Answers) -> Result<Arc<dyn Meter>, Undefined> {
        confused::rate_meter(truth, answers, self.class.as_deref(), Over::There, confused::recall)
    }

    fn detail(&self, truth: &Truth, answers: &Answers) -> Option<Detail> {
        confused::groups(truth, answers, confused::recall, |counts, class| counts.support(class))
    }
}
