//! A number with what it takes to trust it: value, interval, n, unit, method.

use duress_core::gauge::Ends;
use serde::{Deserialize, Serialize};

use crate::method::{IntervalMethod, Method};
use crate::reason::AbsenceReason;
use crate::resampled::Resampled;
use crate::tagged::tagged;

/// A value, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reading {
    /// A finite number.
    Value(f64),
    /// The reason.
    Undefined(AbsenceReason),
}

impl Reading {
    /// The number, if there is one.
    pub fn value(&self) -> Option<f64> {
        match self {
            Reading::Value(value) => Some(*value),
            Reading::Undefined(_) => None,
        }
    }
}

/// From where to where a value may reasonably be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Range {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// How often such an interval holds the value.
    pub level: f64,
}

impl Range {
    /// The part of it that lies between the ends a value can have; that keeps the level, since the
    /// value lies there too.
    pub fn within(self, (low, high): Ends) -> Range {
        let kept = |end: f64| {
            end.max(low.unwrap_or(f64::NEG_INFINITY))
                .min(high.unwrap_or(f64::INFINITY))
        };
        Range {
            low: kept(self.low),
            high: kept(self.high),
            ..self
        }
    }
}

/// A number with what it takes to trust it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Quantity {
    /// The number.
    pub value: Reading,
    /// Its interval, or why there is none.
    pub interval: Result<Range, AbsenceReason>,
    /// Items per replicate.
    pub items: usize,
    /// Replicates.
    pub replicates: usize,
    /// What was resampled.
    pub unit: Resampled,
    /// How the interval was made.
    pub method: Method,
}

tagged! {
    /// Why an interval lies beside its number.
    pub enum Missed {
        /// The interval takes a bias off that the number has.
        Bias = "bias" => "the number is biased, and the interval takes the bias off";
        /// Resampling repeats items.
        Repeats = "repeats" => "resampled items repeat, which this number does not bear";
    }
}

impl Quantity {
    /// A number over nothing yet: who knows n, unit and method says them.
    pub fn new(value: Reading, interval: Result<Range, AbsenceReason>) -> Quantity {
        Quantity {
            value,
            interval,
            items: 0,
            replicates: 0,
            unit: Resampled::Nothing,
            method: IntervalMethod::None.into(),
        }
    }

    /// No number and no interval, for one reason.
    pub fn absent(why: AbsenceReason) -> Quantity {
        Quantity::new(Reading::Undefined(why.clone()), Err(why))
    }

    /// The same, of so many items and replicates.
    #[must_use]
    pub fn of(self, items: usize, replicates: usize) -> Quantity {
        Quantity {
            items,
            replicates,
            ..self
        }
    }

    /// The same, with what was resampled and how the interval was made of it.
    #[must_use]
    pub fn by(self, unit: Resampled, method: impl Into<Method>) -> Quantity {
        Quantity {
            unit,
            method: method.into(),
            ..self
        }
    }

    /// Why the interval lies beside the number, where it does.
    pub fn missed(&self) -> Option<Missed> {
        let (Reading::Value(value), Ok(range)) = (&self.value, &self.interval) else {
            return None;
        };
        match (range.low..=range.high).contains(value) {
            true => None,
            false if matches!(self.method.made, IntervalMethod::Basic { .. }) => Some(Missed::Bias),
            false => Some(Missed::Repeats),
        }
    }

    /// The same, with its interval kept between the ends the value can have, and its method saying
    /// so.
    #[must_use]
    pub fn within(mut self, ends: Ends) -> Quantity {
        let reaches_beyond = self.interval.is_ok() && self.method.made.knows_no_ends();
        if reaches_beyond && ends != (None, None) {
            self.interval = self.interval.map(|range| range.within(ends));
            self.method = self.method.kept(ends);
        }
        self
    }
}
