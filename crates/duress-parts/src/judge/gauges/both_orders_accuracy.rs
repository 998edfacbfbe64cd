//! How often a judge of pairs prefers the better response in both orders.
//!
//! # What it does
//! Reads the share of pairs, among those of which one is better, in which the judge prefers that one
//! before and after the two changed places. A tie is no preference.
//!
//! # Why it matters
//! Right in one order and wrong in the other is a coin with a bias for a place. Guessing gives a
//! quarter, not a half.
//!
//! # Promise
//! 1 when the judge is always right. Pairs without a better response, and pairs that were not judged
//! in both orders, do not take part.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["both-orders-accuracy", "order-consistency"]
//! ```
//!
//! # Reference
//! S. Tan et al., JudgeBench, 2024, count a judgement that changes with the order as wrong.

use std::sync::Arc;

use duress_core::gauge::{
    CellRead, Direction, Gauge, Mean, Meter, PairGauge, SHARE, Scale, Undefined,
};
use duress_core::part::{Build, Part};
use duress_core::truth::Truth;

use crate::judge::frame::both_orders::{pair_scale, preferences_in_both_orders};

/// The part.
pub static PART: Part = Part {
    name: "both-orders-accuracy",
    version: 1,
    fields: &[],
    source: include_str!("both_orders_accuracy.rs"),
    build: Build::Gauge(|_| Ok(Gauge::Pair(Box::new(BothOrdersAccuracy)))),
};

struct BothOrdersAccuracy;

impl PairGauge for BothOrdersAccuracy {
    fn scale(&self) -> Scale {
        let convention = "share of pairs in which the better response is preferred in both orders";
        pair_scale(Direction::Higher, Some(1.0), SHARE, convention)
    }

    fn open(
        &self,
        clean: CellRead<'_>,
        pressed: CellRead<'_>,
    ) -> Result<Arc<dyn Meter>, Undefined> {
        let Truth::Labels(better) = clean.truth else {
            return Err(Undefined::new(
                "it is not known which response of a pair is better",
            ));
        };
        let preferences = preferences_in_both_orders(clean, pressed)?;
        let right = |(item, pair): (usize, &Option<(f64, f64)>)| {
            // The first wins clearly when it is preferred first and, standing second, still is.
            let (one, other) = (*pair)?;
            match better.classes()[better.of()[item] as usize].as_str() {
                "first" => Some(f64::from(u8::from(one - other == 1.0))),
                "second" => Some(f64::from(u8::from(one - other == -1.0))),
                _ => None,
            }
        };
        let right: Vec<Option<f64>> = preferences.iter().enumerate().map(right).collect();
        match right.iter().any(Option::is_some) {
            true => Ok(Arc::new(Mean::share(right))),
            false => Err(Undefined::new("no pair has a better response")),
        }
    }
}
