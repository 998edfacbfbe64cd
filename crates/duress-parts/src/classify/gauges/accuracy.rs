//! The share of items answered with their class.
//!
//! # What it does
//! Counts the items whose likeliest class (the first of several equally likely ones) is the true
//! one, and divides by the items that have an answer. Its detail is the same share class by class,
//! which is each class's recall.
//!
//! # Why it matters
//! It is what most people mean by how good a classifier is, and under an attack it is robust
//! accuracy. With unequal classes it says mostly how the frequent ones do; look at the detail then.
//!
//! # Promise
//! Higher is better, 1 is perfect. Items without an answer do not take part. The classes of answers
//! and truth must be the same names in the same order.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["accuracy"]
//! ```
//!
//! # Reference
//! scikit-learn, `sklearn.metrics.accuracy_score`, gives the same numbers.

use std::sync::Arc;

use duress_core::gauge::{CellGauge, CellRead, Detail, Gauge, Mean, Meter, Scale, Undefined};
use duress_core::part::{Build, Part};

use crate::classify::frame::answered_items::AnsweredItems;
use crate::classify::frame::confusion;

/// The part.
pub static PART: Part = Part {
    name: "accuracy",
    version: 1,
    fields: &[],
    source: include_str!("accuracy.rs"),
    build: Build::Gauge(|_| Ok(Gauge::Cell(Box::new(Accuracy)))),
};

struct Accuracy;

impl CellGauge for Accuracy {
    fn scale(&self) -> Scale {
        confusion::scale("share of answered items whose likeliest class is the true one".into())
    }

    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        let answered = AnsweredItems::new(read)?;
        Ok(Arc::new(Mean::share(
            answered.per_item(|at| hit(&answered, at)),
        )))
    }

    fn once(&self, read: CellRead<'_>) -> Result<(f64, usize), Undefined> {
        let answered = AnsweredItems::new(read)?;
        Ok(answered.mean(|at| hit(&answered, at)))
    }

    fn chance(&self, classes: usize) -> Option<f64> {
        (classes > 0).then(|| 1.0 / classes as f64)
    }

    fn detail(&self, read: CellRead<'_>) -> Option<Detail> {
        confusion::groups(read, confusion::recall, |counts, class| {
            counts.support(class)
        })
    }
}

/// One for an item that is right, zero for one that is wrong.
fn hit(answered: &AnsweredItems<'_>, at: usize) -> f64 {
    f64::from(u8::from(answered.said()[at] == answered.truth()[at]))
}
