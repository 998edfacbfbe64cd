//! How much accuracy stress takes.
//!
//! # What it does
//! Subtracts accuracy under stress from clean accuracy, over the items that have an answer on both
//! sides.
//!
//! # Why it matters
//! It is the price of the stress in points of accuracy. Beside it, `attack-success-rate` says how
//! much of what was right fell.
//!
//! # Promise
//! Lower is better, 0 is no loss; below 0 the stress helped. An item that only one side answered
//! does not take part.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["accuracy", "accuracy-gap"]
//! ```
//!
//! # Reference
//! D. Tsipras et al., Robustness may be at odds with accuracy, ICLR 2019, for the gap itself.

use std::sync::Arc;

use duress_core::gauge::{CellRead, Gauge, Mean, Meter, PairGauge, SIGNED, Scale, Undefined};
use duress_core::part::{Build, Part};

use crate::classify::frame::class_pair::{compare_items, loss_scale};

/// The part.
pub static PART: Part = Part {
    name: "accuracy-gap",
    version: 1,
    fields: &[],
    source: include_str!("accuracy_gap.rs"),
    build: Build::Gauge(|_| Ok(Gauge::Pair(Box::new(AccuracyGap)))),
};

struct AccuracyGap;

impl PairGauge for AccuracyGap {
    fn scale(&self) -> Scale {
        loss_scale(
            SIGNED,
            "clean accuracy minus accuracy under stress, over items answered in both",
        )
    }

    fn open(
        &self,
        clean: CellRead<'_>,
        pressed: CellRead<'_>,
    ) -> Result<Arc<dyn Meter>, Undefined> {
        let lost = |label: u32, before: Option<u32>, after: Option<u32>| {
            let right = |said: u32| f64::from(u8::from(said == label));
            Some(right(before?) - right(after?))
        };
        let nobody = "no item has an answer both when clean and under stress";
        let lost = compare_items(clean, pressed, lost, nobody)?;
        Ok(Arc::new(Mean::over(lost)))
    }
}
