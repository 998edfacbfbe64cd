//! The mean over classes of the share of each class that is found.
//!
//! # What it does
//! Takes the recall of every class that some answered item has, and averages them, each class
//! counting the same whatever its size. Its detail is the recall of every class.
//!
//! # Why it matters
//! With 95 % of one class, always saying it gives an accuracy of 0.95 and a balanced accuracy of
//! one over the number of classes.
//!
//! # Promise
//! Higher is better, 1 is perfect. A class that no item has takes no part and its own recall is
//! undefined. A resample that misses a class which is there has no value, so that all resamples
//! estimate one quantity. Items without an answer do not take part.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["accuracy", "balanced-accuracy"]
//! ```
//!
//! # Reference
//! scikit-learn, `sklearn.metrics.balanced_accuracy_score`, gives the same numbers. K. Brodersen et
//! al., ICPR 2010.

use duress_core::gauge::Gauge;
use duress_core::part::{Build, Part};

use crate::classify::frame::confusion::{ClassRateGauge, ClassesInMean, recall};

/// The part.
pub static PART: Part = Part {
    name: "balanced-accuracy",
    version: 1,
    fields: &[],
    source: include_str!("balanced_accuracy.rs"),
    build: Build::Gauge(|_| {
        Ok(Gauge::Cell(Box::new(ClassRateGauge {
            class: None,
            convention: |_| "mean recall over the classes that some answered item has".into(),
            over: ClassesInMean::There,
            rate: recall,
            in_mean: recall,
            of: |counts, class| counts.support(class),
        })))
    }),
};
