//! How often a subject changes its mind when options change places.
//!
//! # What it does
//! For every item, the share of the orders on the ladder in which the subject says another option
//! than in the original order; the reading is the mean over items. Options are compared by what
//! they are, not by their letter.
//!
//! # Why it matters
//! The order of options means nothing, so every flip is an answer that was not about the question.
//! Accuracy can stay the same while many answers flip.
//!
//! # Promise
//! Lower is better, 0 for a subject that does not see positions. Orders in which an item has no
//! answer are left out for it.
//!
//! # Example
//! ```toml
//! [gauge.flip-rate]
//! use = "flip-rate"
//! of = "accuracy"
//! ```
//!
//! # Reference
//! C. Zheng and others, Large Language Models Are Not Robust Multiple Choice Selectors, ICLR 2024.

use std::sync::Arc;

use duress_core::gauge::{Direction, Gauge, Mean, Meter, Undefined};
use duress_core::part::{Build, Part};

use crate::order::frame::option_answers::{OF, OptionAnswers, OptionGauge, OptionReading};

/// The part.
pub static PART: Part = Part {
    name: "flip-rate",
    version: 1,
    fields: &[OF],
    source: include_str!("flip_rate.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Ladder(Box::new(OptionGauge {
            of: params.text("of").into(),
            reading: &READING,
        })))
    }),
};

static READING: OptionReading = OptionReading {
    convention: "mean over items of the share of the ladder's orders in which another option is said than in the original order",
    direction: Direction::Lower,
    best: Some(0.0),
    open,
    detail: |_| None,
};

fn open(answers: OptionAnswers) -> Result<Arc<dyn Meter>, Undefined> {
    let flips = |item: usize| {
        let first = answers.orders[0].said[item]?;
        let others = answers.orders.iter().skip(1);
        let said: Vec<usize> = others.filter_map(|order| order.said[item]).collect();
        let flipped = said.iter().filter(|option| **option != first).count();
        (!said.is_empty()).then(|| flipped as f64 / said.len() as f64)
    };
    let values = (0..answers.truth.len()).map(flips).collect();
    Ok(Arc::new(Mean::over(values)))
}
