//! The mean over items of each item's own worst degradation.
//!
//! # What it does
//! Takes for every item the largest (S_orig − S_pert) / S_orig over the arrangements that are
//! distinct for it, and averages. Items with S_orig below `min-s-orig` are left out.
//!
//! # Why it matters
//! MDA asks for one arrangement that hurts all; an adversary can pick another one for every item.
//! This is what that costs.
//!
//! # Promise
//! Lower is better, never below MDA where every item takes part in every arrangement. Not clamped.
//!
//! # Example
//! ```toml
//! [gauge.worst-per-item]
//! use = "worst-per-item"
//! of = "s-acc"
//! min-s-orig = 0.05
//! ```
//!
//! # Reference
//! Reported beside MDA, so that the two readings of "worst case" are not confused.

use std::sync::Arc;

use duress_core::gauge::{
    Columns, Direction, Gauge, LadderGauge, Mean, Meter, Rung, Scale, Undefined,
};
use duress_core::part::{Build, Part};

use crate::order::frame::degradation::{Degradation, ItemRatio, OF, RungScores};

/// The part.
pub static PART: Part = Part {
    name: "worst-per-item",
    version: 1,
    fields: &[OF, ItemRatio::MIN_S_ORIG],
    source: include_str!("worst_per_item.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Ladder(Box::new(WorstPerItem {
            of: params.text("of").into(),
            ratio: ItemRatio::MeanOfRatios(params.number("min-s-orig")),
        })))
    }),
};

struct WorstPerItem {
    of: String,
    ratio: ItemRatio,
}

impl LadderGauge for WorstPerItem {
    fn of(&self) -> &str {
        &self.of
    }

    fn scale(&self, of: &Scale) -> Scale {
        let convention = format!(
            "mean over items of the maximum over arrangements; {}; S is {}: {}",
            self.ratio.words(),
            self.of,
            of.convention
        );
        Scale {
            convention,
            direction: Direction::Lower,
            best: None,
            ends: (None, None),
            ..of.clone()
        }
    }

    fn open(&self, rungs: &[Rung], _columns: &Columns) -> Result<Arc<dyn Meter>, Undefined> {
        Ok(Arc::new(Mean::over(
            Degradation::of(&RungScores::of(rungs)?, self.ratio)?.worst(),
        )))
    }
}
