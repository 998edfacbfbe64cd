//! The mean F1 over classes, each weighted by its items.
//!
//! # What it does
//! Takes 2·hits / (items of the class + items said to be of it) of every class, and averages with
//! the number of items of each class as weight. Its detail is every class.
//!
//! # Why it matters
//! The F1 that most papers print for unequal classes. It says mostly how the frequent ones do; `f1`
//! counts all alike.
//!
//! # Promise
//! Higher is better, 1 is perfect. A class that no item has weighs nothing. Items without an answer
//! do not take part.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["accuracy", "f1-weighted"]
//! ```
//!
//! # Reference
//! scikit-learn, `sklearn.metrics.f1_score` with `average="weighted"`, gives the same numbers.

use std::sync::Arc;

use duress_core::gauge::{CellGauge, CellRead, Detail, Gauge, Meter, Scale, Undefined};
use duress_core::part::{Build, Part};

use crate::classify::frame::confusion;

/// The part.
pub static PART: Part = Part {
    name: "f1-weighted",
    version: 1,
    fields: &[],
    source: include_str!("f1_weighted.rs"),
    build: Build::Gauge(|_| Ok(Gauge::Cell(Box::new(F1Weighted)))),
};

struct F1Weighted;

impl CellGauge for F1Weighted {
    fn scale(&self) -> Scale {
        confusion::scale("F1 of each class, mean weighted by the items of the class".into())
    }

    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        confusion::meter(read, |counts| {
            let part = |class| counts.support(class) as f64 * counts.f1(class).unwrap_or(0.0);
            Ok((0..counts.classes()).map(part).sum::<f64>() / counts.total() as f64)
        })
    }

    fn detail(&self, read: CellRead<'_>) -> Option<Detail> {
        confusion::groups(read, confusion::f1, |counts, class| counts.support(class))
    }
}
