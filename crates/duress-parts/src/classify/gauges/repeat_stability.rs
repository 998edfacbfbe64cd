//! How often two answers about the same item agree.
//!
//! # What it does
//! Reads answers that were given `repeats` times about each item, as shares of classes. For each item
//! it takes the share of pairs of those answers that name the same class, right or wrong, and
//! averages over items.
//!
//! # Why it matters
//! A model that is asked twice and says two things cannot be right both times; how stable it is needs
//! no truth, and under stress it often falls before accuracy does.
//!
//! # Promise
//! From 0 to 1, 1 when all answers about every item agree. An unbiased estimate, whatever `repeats`
//! is. Undefined where answers are not shares of `repeats`. Items without an answer do not take part.
//!
//! # Example
//! ```toml
//! [gauge.stability]
//! use = "repeat-stability"
//! repeats = 5      # that of the subject
//! ```
//!
//! # Reference
//! E. Simpson, Measurement of diversity, 1949: the unbiased form of his index.

use std::sync::Arc;

use duress_core::gauge::{CellGauge, CellRead, Gauge, Meter, Scale, Undefined};
use duress_core::part::{Build, Part};

use crate::classify::frame::confusion;
use crate::classify::frame::repeated::{mean_over_items, repeats_key, share_of_choices};

/// The part.
pub static PART: Part = Part {
    name: "repeat-stability",
    version: 1,
    fields: &[repeats_key(2)],
    source: include_str!("repeat_stability.rs"),
    build: Build::Gauge(|params| {
        let repeats = params.whole("repeats") as u32;
        Ok(Gauge::Cell(Box::new(RepeatStability { repeats })))
    }),
};

struct RepeatStability {
    repeats: u32,
}

impl CellGauge for RepeatStability {
    fn scale(&self) -> Scale {
        let convention = format!("share of pairs of {} answers that agree", self.repeats);
        confusion::scale(convention)
    }

    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        mean_over_items(read, self.repeats, |named, _truth| {
            let agreeing = |times: &u32| share_of_choices(*times, self.repeats, 2);
            named.iter().map(agreeing).sum()
        })
    }
}
