//! The share of what was said to be of a class that is, and its mean over classes.
//!
//! # What it does
//! With `class`, the share of the items said to be of that class which are. Without, the mean over
//! the classes that some answered item has or was said to have; a class that is there but was never
//! said counts 0 in that mean, though its own precision does not exist. Its detail is every class.
//!
//! # Why it matters
//! How far an alarm can be believed.
//!
//! # Promise
//! Higher is better, 1 is perfect. A class without items or without answers has an undefined rate,
//! named, and never stops the others. A resample that misses a class which is there has no value.
//! Items without an answer do not take part.
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

use duress_core::gauge::Gauge;
use duress_core::part::{Build, Part};

use crate::classify::frame::confusion::{CLASS, ClassRateGauge, ClassesInMean, f1, precision};

/// The part.
pub static PART: Part = Part {
    name: "precision",
    version: 1,
    fields: &[CLASS],
    source: include_str!("precision.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Cell(Box::new(ClassRateGauge {
            class: params.text_if("class").map(Into::into),
            convention: |class| {
                match class {
                Some(class) => format!("share of what was said to be of a class that is: `{class}`"),
                None => "share of what was said to be of a class that is, mean over the classes that are there or were said".into(),
            }
            },
            over: ClassesInMean::ThereOrSaid,
            rate: precision,
            in_mean: |counts, class, name| match counts.support(class) + counts.predicted(class) {
                0 => f1(counts, class, name),
                // In the mean, what is there and never said is found never: it counts 0.
                _ => Ok(counts.precision(class).unwrap_or(0.0)),
            },
            of: |counts, class| counts.predicted(class),
        })))
    }),
};
