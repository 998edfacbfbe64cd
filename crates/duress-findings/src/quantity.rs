//! A number with what it takes to trust it: value, interval, n, unit, method.

use duress_core::gauge::Ends;
use serde::{Deserialize, Serialize};

use crate::method::{IntervalMethod, Method};

/// A value, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reading {
    /// A finite number.
    Value(f64),
    /// The reason.
    Undefined(String),
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
pub struct Quantity {
    /// The number.
    pub value: Reading,
    /// Its interval, or why there is none.
    pub interval: Result<Range, String>,
    /// Items per replicate.
    pub items: usize,
    /// Replicates.
    pub replicates: usize,
    /// What was resampled, in words.
    pub unit: String,
    /// How the interval was made.
    pub method: Method,
}

impl Quantity {
    /// Why the interval lies beside the number, where it does.
    pub fn missed(&self) -> Option<&'static str> {
        let (Reading::Value(value), Ok(range)) = (&self.value, &self.interval) else {
            return None;
        };
        match (range.low..=range.high).contains(value) {
            true => None,
            false if matches!(self.method.made, IntervalMethod::Basic { .. }) => {
                Some("the number is biased, and the interval takes the bias off")
            }
            false => Some("resampled items repeat, which this number does not bear"),
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
