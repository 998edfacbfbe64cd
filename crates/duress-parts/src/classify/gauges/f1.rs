//! The harmonic mean of precision and recall of a class, and its mean over classes.
//!
//! # What it does
//! With `class`, 2·hits / (items of the class + items said to be of it). Without, the unweighted
//! (macro) mean over the classes that some answered item has or was said to have. Its detail is
//! every class.
//!
//! # Why it matters
//! It is high only when both precision and recall are, and in the mean a rare class counts as much
//! as a frequent one.
//!
//! # Promise
//! Higher is better, 1 is perfect. A class without items or without answers has an undefined rate,
//! named, and never stops the others. A resample that misses a class which is there has no value.
//! Items without an answer do not take part.
//!
//! # Example
//! ```toml
//! [gauge.melanoma-f1]
//! use = "f1"
//! class = "MEL"
//! ```
//!
//! # Reference
//! scikit-learn, `sklearn.metrics.f1_score` with `average="macro"`, gives the same mean. C. J. van
//! Rijsbergen, Information Retrieval, 1979.

use duress_core::gauge::Gauge;
use duress_core::part::{Build, Part};

use crate::classify::frame::confusion::{CLASS, ClassRateGauge, ClassesInMean, f1};

/// The part.
pub static PART: Part = Part {
    name: "f1",
    version: 1,
    fields: &[CLASS],
    source: include_str!("f1.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Cell(Box::new(ClassRateGauge {
            class: params.text_if("class").map(Into::into),
            convention: |class| {
                match class {
                Some(class) => format!("2·hits / (items of a class + items said to be of it): `{class}`"),
                None => "2·hits / (items of a class + items said to be of it), mean over the classes that are there or were said".into(),
            }
            },
            over: ClassesInMean::ThereOrSaid,
            rate: f1,
            in_mean: f1,
            of: |counts, class| counts.support(class),
        })))
    }),
};
