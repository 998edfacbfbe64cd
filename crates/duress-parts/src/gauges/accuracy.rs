//! The share of items answered with their class.
//!
//! # What it does
//! Counts the items whose likeliest class (the first of several equally likely ones) is the true one, and divides by the
//! items that have an answer. Its detail is the same share class by class, which is each class's recall.
//!
//! # Why it matters
//! It is what most people mean by how good a classifier is, and under an attack it is robust accuracy. With unequal classes
//! it says mostly how the frequent ones do; look at the detail then.
//!
//! # Promise
//! Higher is better, 1 is perfect. Items without an answer do not take part. The classes of answers and truth must be the
//! same names in the same order.
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

use duress_core::answer::{Answers, ClassAnswers};
use duress_core::gauge::{
    CellGauge, Detail, Direction, Gauge, Group, Mean, Meter, Scale, Undefined, Unit, plainly, same_classes,
};
use duress_core::part::{Build, Part};
use duress_core::question::Question;
use duress_core::truth::{Labels, Truth};

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
        Scale {
            reads: Question::Classes,
            direction: Direction::Higher,
            best: Some(1.0),
            unit: Unit::Items,
            convention: "share of answered items whose likeliest class is the true one".into(),
            compat: false,
        }
    }

    fn open(&self, truth: &Truth, answers: &Answers) -> Result<Arc<dyn Meter>, Undefined> {
        let (labels, said) = same_classes(truth, answers)?;
        Ok(Arc::new(Mean::share(hits(labels, said).collect())))
    }

    fn detail(&self, truth: &Truth, answers: &Answers) -> Option<Detail> {
        let (labels, said) = same_classes(truth, answers).ok()?;
        let group = |(class, name): (usize, &String)| {
            let of_class = labels.of().iter().zip(hits(labels, said));
            let hits: Vec<Option<f64>> =
                of_class.filter(|(label, _)| **label as usize == class).map(|(_, hit)| hit).collect();
            let value = if hits.is_empty() {
                Err(Undefined::new(format!("no item is of class `{name}`")))
            } else {
                plainly(&Mean::over(hits.clone()))
            };
            Group { name: name.clone(), n: hits.iter().flatten().count(), value }
        };
        Some(Detail::Groups(labels.classes().iter().enumerate().map(group).collect()))
    }
}

/// One for each item that is right, zero for each that is wrong, nothing for each that has no answer.
fn hits<'a>(labels: &'a Labels, said: &'a ClassAnswers) -> impl Iterator<Item = Option<f64>> + 'a {
    let hit = |(i, &label): (usize, &u32)| Some(f64::from(u8::from(said.label(i)? == label)));
    labels.of().iter().enumerate().map(hit)
}
