//! How far the mean of a few calls of a judge is from what it says in the long run.
//!
//! # What it does
//! The standard error of the mean of the first `calls` ratings in a dimension, its square averaged over
//! items: the root of that, in points.
//!
//! # Why it matters
//! Calls cost money. With independent calls it shrinks like 1/√calls, so twice as many give 0.71 of
//! it; where it does not shrink so, calls are not independent.
//!
//! # Promise
//! Lower is better. One call gives none, and a judge that says the same every time has none to speak
//! of: both are undefined, with the reason.
//!
//! # Example
//! ```toml
//! [gauge.error-5]
//! use = "call-error"
//! dimension = "T"
//! calls = 5
//! ```
//!
//! # Reference
//! The standard error of the mean.

use std::sync::Arc;

use duress_core::gauge::{CellGauge, CellRead, Direction, Gauge, Meter, Scale, Undefined};
use duress_core::part::{Build, Part};

use crate::judge::frame::both_orders::pair_scale;
use crate::judge::frame::judge_calls::CallPlan;

/// The part.
pub static PART: Part = Part {
    name: "call-error",
    version: 1,
    fields: CallPlan::KEYS,
    source: include_str!("call_error.rs"),
    build: Build::Gauge(|params| {
        let plan = CallPlan::of_params(params);
        Ok(Gauge::Cell(Box::new(CallError { plan })))
    }),
};

struct CallError {
    plan: CallPlan,
}

impl CellGauge for CallError {
    fn scale(&self) -> Scale {
        let convention = format!(
            "root of the mean squared standard error over items: {}",
            self.plan.in_words()
        );
        pair_scale(Direction::Lower, None, (Some(0.0), None), &convention)
    }

    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        let calls = self.plan.calls(read.answers)?;
        let squares = calls.iter();
        let squares = squares.map(|item| item.as_ref().map(|item| item.error_square()));
        Ok(Arc::new(RootMeanSquare(squares.collect())))
    }
}

/// The root of the mean of squares.
struct RootMeanSquare(Vec<Option<f64>>);

impl Meter for RootMeanSquare {
    fn units(&self) -> usize {
        self.0.len()
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        let (mut sum, mut count) = (0.0, 0.0);
        for (square, weight) in self.0.iter().zip(weights) {
            if let Some(square) = square {
                sum += square * f64::from(*weight);
                count += f64::from(*weight);
            }
        }
        match count > 0.0 {
            true => Ok((sum / count).sqrt()),
            false => Err(Undefined::new("no item takes part")),
        }
    }

    fn takes_part(&self, unit: usize) -> bool {
        self.0[unit].is_some()
    }
}
