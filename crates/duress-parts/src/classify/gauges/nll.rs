//! The negative log-likelihood: how surprised the subject was by what is true.
//!
//! # What it does
//! Averages over items the negative natural logarithm of the probability that was given to the true
//! class. Logits are used as they are, so that no probability is rounded to 0.
//!
//! # Why it matters
//! A proper score that punishes being sure and wrong without bound; it is what most networks are
//! trained on.
//!
//! # Promise
//! Lower is better, 0 is perfect. When some item gave its class a probability of exactly 0 the
//! value is infinite, so it is undefined and says for how many; `clip` replaces smaller
//! probabilities by itself, as other software does silently. Answers without a probability of every
//! class leave it undefined.
//!
//! # Example
//! ```toml
//! [gauge.log-loss]
//! use = "nll"
//! clip = 2.220446049250313e-16   # as scikit-learn does for float64
//! ```
//!
//! # Reference
//! scikit-learn, `sklearn.metrics.log_loss`, gives the same numbers with its clipping.

use std::sync::Arc;

use duress_core::answer::Said;
use duress_core::gauge::{
    COUNT, CellGauge, CellRead, Direction, Gauge, Mean, Meter, Scale, Undefined, Unit,
};
use duress_core::part::{Build, Field, Part, Takes};
use duress_core::question::Question;

use crate::classify::frame::answered_items::{AnsweredItems, row, top};

/// The part.
pub static PART: Part = Part {
    name: "nll",
    version: 1,
    fields: &[Field {
        name: "clip",
        takes: Takes::Number(0.0, 0.5),
        doc: "smaller probabilities count as this; 0 leaves them as they are",
        default: Some("0"),
    }],
    source: include_str!("nll.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Cell(Box::new(Nll {
            clip: params.number("clip"),
        })))
    }),
};

struct Nll {
    clip: f64,
}

impl CellGauge for Nll {
    fn scale(&self) -> Scale {
        Scale {
            reads: Question::Classes,
            direction: Direction::Lower,
            best: Some(0.0),
            ends: COUNT,
            unit: Unit::Items,
            convention: match self.clip {
                0.0 => "mean of −ln p(true class), natural logarithm, not clipped".into(),
                clip => {
                    format!("mean of −ln p(true class), natural logarithm, p at least {clip:e}")
                }
            },
            compat: false,
        }
    }

    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        let answered = AnsweredItems::new(read)?;
        let of = answered.truth();
        let k = answered.classes().len();
        let item = |rows, at: usize| (row(rows, k, answered.view().item(at)), of[at] as usize);
        let values = match answered.answers.said() {
            Said::Probabilities(rows) => answered.per_item(|at| {
                let (row, of) = item(rows, at);
                -libm::log(row[of].max(self.clip))
            }),
            Said::Logits(rows) => answered.per_item(|at| {
                let (row, of) = item(rows, at);
                log_sum(row) - row[of]
            }),
            Said::Labels { .. } => {
                return Err(Undefined::new(
                    "the read.answers are labels; it needs a probability of the true class",
                ));
            }
        };
        match values
            .iter()
            .flatten()
            .filter(|value| value.is_infinite())
            .count()
        {
            0 => Ok(Arc::new(Mean::over(values))),
            1 => Err(Undefined::new(
                "1 item gave its class the probability 0: it is infinite (`clip` bounds it)",
            )),
            n => Err(Undefined::new(format!(
                "{n} items gave their class the probability 0: it is infinite (`clip` bounds it)"
            ))),
        }
    }
}

/// The logarithm of the sum of exponentials.
fn log_sum(logits: &[f64]) -> f64 {
    let most = top(logits).1;
    most + libm::log(logits.iter().map(|x| libm::exp(x - most)).sum())
}
