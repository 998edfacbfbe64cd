//! The mean over classes of the share of each class that is found.
//!
//! # What it does
//! Takes the recall of every class that some answered item has, and averages them, each class counting the same whatever its
//! size. Its detail is the recall of every class.
//!
//! # Why it matters
//! With 95 % of one class, always saying it gives an accuracy of 0.95 and a balanced accuracy of one over the number of classes.
//!
//! # Promise
//! Higher is better, 1 is perfect. A class that no item has takes no part and its own recall is undefined. A resample that
//! misses a class which is there has no value, so that all resamples estimate one quantity. Items without an answer do not take
//! part.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["accuracy", "balanced-accuracy"]
//! ```
//!
//! # Reference
//! scikit-learn, `sklearn.metrics.balanced_accuracy_score`, gives the same numbers. K. Brodersen et al., ICPR 2010.

use std::sync::Arc;

use duress_core::answer::Answers;
use duress_core::gauge::{CellGauge, Detail, Direction, Gauge, Meter, Scale, Undefined, Unit};
use duress_core::part::{Build, Part};
use duress_core::question::Question;
use duress_core::truth::Truth;

use crate::confused::{self, Over};

/// The part.
pub static PART: Part = Part {
    name: "balanced-accuracy",
    version: 1,
    fields: &[],
    source: include_str!("balanced_accuracy.rs"),
    build: Build::Gauge(|_| Ok(Gauge::Cell(Box::new(BalancedAccuracy)))),
};

struct BalancedAccuracy;

impl CellGauge for BalancedAccuracy {
    fn scale(&self) -> Scale {
        Scale {
            reads: Question::Classes,
            direction: Direction::Higher,
            best: Some(1.0),
            unit: Unit::Items,
            convention: "mean recall over the classes that some answered item has".into(),
            compat: false,
        }
    }

    fn open(&self, truth: &Truth, answers: &Answers) -> Result<Arc<dyn Meter>, Undefined> {
        confused::rate_meter(truth, answers, None, Over::There, confused::recall)
    }

    fn detail(&self, truth: &Truth, answers: &Answers) -> Option<Detail> {
        confused::groups(truth, answers, confused::recall, |counts, class| counts.support(class))
    }
}
