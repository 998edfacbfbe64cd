//! The share of a class that is found, and its mean over classes.
//!
//! # What it does
//! With `class`, the share of that class's items that was said to be of it. Without, the mean over
//! the classes that some answered item has, each counting the same; that is balanced accuracy. Its
//! detail is every class.
//!
//! # Why it matters
//! A subject may be right most of the time and never find the class that matters.
//!
//! # Promise
//! Higher is better, 1 is perfect. A class without items or without answers has an undefined rate,
//! named, and never stops the others. A resample that misses a class which is there has no value.
//! Items without an answer do not take part.
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

use duress_core::gauge::Gauge;
use duress_core::part::{Build, Part};

use crate::classify::frame::confusion::{CLASS, ClassRateGauge, ClassesInMean, recall};

/// The part.
pub static PART: Part = Part {
    name: "recall",
    version: 1,
    fields: &[CLASS],
    source: include_str!("recall.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Cell(Box::new(ClassRateGauge {
            class: params.text_if("class").map(Into::into),
            convention: |class| {
                match class {
                Some(class) => format!("share of a class that was said to be of it: `{class}`"),
                None => {
                    "share of a class that was said to be of it, mean over the classes that are there".into()
                }
            }
            },
            over: ClassesInMean::There,
            rate: recall,
            in_mean: recall,
            of: |counts, class| counts.support(class),
        })))
    }),
};
