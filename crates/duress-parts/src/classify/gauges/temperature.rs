//! The temperature at which answers are as sure as they are right.
//!
//! # What it does
//! Finds the one number that all logits have to be divided by so that the negative log-likelihood of
//! what is true is smallest. Of probabilities the logarithms are divided.
//!
//! # Why it matters
//! Above 1 a subject is surer than it is right, below 1 less sure: training that smooths answers
//! makes many who are right say so too quietly, and one temperature mends that. Fitted on the items
//! it is then judged by it would be too good: `temperature-on = "DATASET"` in the table of another
//! gauge reads that gauge at the temperature which fits the subject's clean answers there.
//!
//! # Promise
//! Undefined where there is none: every item is right and the colder the better, or answers are
//! labels. Beyond 20,000 items its error is found from one step of Newton's instead of
//! a new fit for every group that is left out.
//!
//! # Example
//! ```toml
//! [gauge.ece-scaled]
//! use = "ece"
//! temperature-on = "validation"
//!
//! [analysis]
//! gauges = ["ece", "temperature"]
//! ```
//!
//! # Reference
//! C. Guo et al., On calibration of modern neural networks, ICML 2017.

use std::sync::Arc;

use duress_core::gauge::{CellGauge, CellRead, Direction, Gauge, Meter, Scale, Undefined, Unit};
use duress_core::part::{Build, Part};
use duress_core::question::Question;
use duress_stats::UndefinedReason;
use duress_stats::temperature::{TemperatureSlopes, fit_temperature};

use crate::classify::frame::answered_items::{AnsweredItems, AnsweredView, in_words, row};

/// The part.
pub static PART: Part = Part {
    name: "temperature",
    version: 1,
    fields: &[],
    source: include_str!("temperature.rs"),
    build: Build::Gauge(|_| Ok(Gauge::Cell(Box::new(Temperature)))),
};

struct Temperature;

impl CellGauge for Temperature {
    fn scale(&self) -> Scale {
        Scale {
            reads: Question::Classes,
            direction: Direction::Neither,
            best: None,
            ends: (Some(0.0), None),
            unit: Unit::Items,
            convention:
                "what logits are divided by where the mean of −ln p(true class) is smallest".into(),
            compat: false,
        }
    }

    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        let answered = AnsweredItems::new(read)?;
        let classes = answered.classes().len();
        let labels = "the answers are labels; it needs a probability of every class";
        let rows = answered.answers.log_scores();
        let rows = rows.ok_or_else(|| Undefined::new(labels))?;
        let view = Arc::clone(answered.view());
        let answered = (0..answered.truth().len()).map(|at| row(&rows, classes, view.item(at)));
        let logits: Vec<f64> = answered.flatten().copied().collect();
        let many = view.truth().len() > EXACT;
        let slopes = many.then(|| TemperatureSlopes::new(&logits, classes, view.truth()));
        Ok(Arc::new(TemperatureMeter {
            slopes: slopes.transpose().map_err(in_words)?,
            logits,
            classes,
            view,
        }))
    }
}

/// Up to how many items it is fitted anew for every way to weigh them.
const EXACT: usize = 20_000;

struct TemperatureMeter {
    /// Of the items that have an answer.
    logits: Vec<f64>,
    classes: usize,
    view: Arc<AnsweredView>,
    /// How the temperature depends on weights, where there are too many items to fit it anew.
    slopes: Option<TemperatureSlopes>,
}

impl TemperatureMeter {
    /// The temperature of items that count as often as these weights say.
    fn fitted(&self, weights: &[u32]) -> Result<f64, UndefinedReason> {
        let places = weights.iter().enumerate();
        let places = places.flat_map(|(at, &times)| std::iter::repeat_n(at, times as usize));
        let places: Vec<usize> = places.collect();
        let rows = places.iter().map(|&at| row(&self.logits, self.classes, at));
        let logits: Vec<f64> = rows.flatten().copied().collect();
        let truth: Vec<u32> = places.iter().map(|&at| self.view.truth()[at]).collect();
        fit_temperature(&logits, self.classes, &truth)
    }
}

impl Meter for TemperatureMeter {
    fn units(&self) -> usize {
        self.view.items()
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        let read = |weights: &[u32]| match &self.slopes {
            Some(slopes) => slopes.at_weights(weights),
            None => self.fitted(weights),
        };
        self.view.of_answered(weights, read).map_err(in_words)
    }

    fn takes_part(&self, unit: usize) -> bool {
        self.view.has(unit)
    }
}
