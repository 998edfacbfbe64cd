//! The Brier score: the squared distance of the probabilities from what was true.
//!
//! # What it does
//! For every item, sums over all classes the square of probability minus truth (1 for the true
//! class, 0 for others), and averages over items: from 0 to 2.
//!
//! # Why it matters
//! A proper score: only the true probabilities make it smallest, so it rewards both being right and
//! saying honestly how sure.
//!
//! # Promise
//! Lower is better, 0 is perfect. It is the sum over classes; for two classes others print half of
//! it. Answers without a probability of every class leave it undefined. Items without an answer do
//! not take part.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["accuracy", "brier"]
//! ```
//!
//! # Reference
//! G. Brier, Verification of forecasts expressed in terms of probability, 1950. scikit-learn,
//! `sklearn.metrics.brier_score_loss` with `scale_by_half=False`.

use std::sync::Arc;

use duress_core::gauge::{
    CellGauge, CellRead, Direction, Gauge, Mean, Meter, Scale, Undefined, Unit,
};
use duress_core::part::{Build, Part};
use duress_core::question::Question;

use crate::classify::frame::answered_items::AnsweredItems;

/// The part.
pub static PART: Part = Part {
    name: "brier",
    version: 1,
    fields: &[],
    source: include_str!("brier.rs"),
    build: Build::Gauge(|_| Ok(Gauge::Cell(Box::new(Brier)))),
};

struct Brier;

impl CellGauge for Brier {
    fn scale(&self) -> Scale {
        Scale {
            reads: Question::Classes,
            direction: Direction::Lower,
            best: Some(0.0),
            ends: (Some(0.0), Some(2.0)),
            unit: Unit::Items,
            convention: "sum over classes of squared errors, mean over items (0 to 2)".into(),
            compat: false,
        }
    }

    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        let answered = AnsweredItems::new(read)?;
        let scores = answered.probabilities()?;
        Ok(Arc::new(Mean::over(answered.per_item(|at| {
            square(scores.row(at), answered.truth()[at])
        }))))
    }

    fn once(&self, read: CellRead<'_>) -> Result<(f64, usize), Undefined> {
        let answered = AnsweredItems::new(read)?;
        let scores = answered.probabilities()?;
        Ok(answered.mean(|at| square(scores.row(at), answered.truth()[at])))
    }
}

/// The sum over classes of squared errors.
fn square(row: &[f64], of: u32) -> f64 {
    let off = |(class, p): (u32, &f64)| p - f64::from(u8::from(of == class));
    (0..).zip(row).map(off).map(|off| off * off).sum()
}
