//! The share of what was said to be of a class that is, and its mean over classes.
//!
//! # What it does
//! With `class`, the share of the items said to be of that class which are. Without, the mean over the classes that some
//! answered item has or was said to have; a class that is there but was never said counts 0 in that mean, though its own
//! precision does not exist. Its detail is every class.
//!
//! # Why it matters
//! How far an alarm can be believed.
//!
//! # Promise
//! Higher is better, 1 is perfect. A class without items or without answers has an undefined rate, named, and never stops the
//! others. A resample that misses a class which is there has no value. Items without an answer do not take part.
//!
//! # Example
//! ```toml
//! [gauge.melanoma-precision]
//! use = "precision"
//! class = "MEL"
//! ```
//!
//! # Reference
//! scikit-learn, `sklearn.metrics.precision_score` with `zero_division=0`, gives the same mean.

use std::sync::Arc;

use duress_core::answer::Answers;
use duress_core::gauge::{CellGauge, Detail, Direction, Gauge, Meter, Scale, Undefined, Unit};
use duress_core::part::{Build, Part};
use duress_core::question::Question;
use duress_core::truth::Truth;

use crate::confused::{self, Over, Rate};

/// The part.
pub static PART: Part = Part {
    name: "precision",
    version: 1,
    fields: &[confused::CLASS],
    source: include_str!("precision.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Cell(Box::new(Precision { class: params.text_if("class").map(Into::into) })))
    }),
};

struct Precision {
    class: Option<String>,
}

impl CellGauge for Precision {
    fn scale(&self) -> Scale {
        Scale {
            reads: Question::Classes,
            direction: Direction::Higher,
            best: Some(1.0),
            unit: Unit::Items,
            convention: match &self.class {
                Some(class) => format!("share of what was said to be of a class that is: `{class}`"),
                None => "share of what was said to be of a class that is, mean over the classes that are there or were said".into(),
            },
            compat: false,
        }
    }

    fn open(&self, truth: &Truth, answers: &Answers) -> Result<Arc<dyn Meter>, Undefined> {
        // In the mean, what is there and never said is found never: it counts 0.
        let counted: Rate = |counts, class, name| match counts.support(class) + counts.predicted(class) {
            0 => confused::f1(counts, class, name),
            _ => Ok(counts.precision(class).unwrap_or(0.0)),
        };
        let rate = if self.class.is_some() { confused::precision } else { counted };
        confused::rate_meter(truth, answers, self.class.as_deref(), Over::ThereOrSaid, rate)
    }

    fn detail(&self, truth: &Truth, answers: &Answers) -> Option<Detail> {
        confused::groups(truth, answers, confused::precision, |counts, class| counts.predicted(class))
    }
}
