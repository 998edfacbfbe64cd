//! The p-value of the sign test: how often so many responses would fall by chance.
//!
//! # What it does
//! Counts the items whose least-squares slope over the number of errors is below 0 and those whose
//! slope is above, and gives the exact two-sided p of the sign test.
//!
//! # Why it matters
//! The test over samples that needs no assumption on scores. Six means cannot give what 200
//! responses can.
//!
//! # Promise
//! Items whose score does not move do not take part; when none moves it is undefined.
//!
//! # Example
//! ```toml
//! [gauge.falling-sign-p]
//! use = "falling-sign-p"
//! of = "quality"
//! ```
//!
//! # Reference
//! W. J. Conover, Practical Nonparametric Statistics, 1999.

use duress_core::gauge::{Direction, SHARE, Undefined};
use duress_core::part::{Build, Part};
use duress_stats::Side;
use duress_stats::tests::sign;

use crate::judge::frame::dose_reading::{DoseRead, DoseReading};
use crate::judge::frame::dose_response::{Doses, reason, slope};

/// The part.
pub static PART: Part = Part {
    name: "falling-sign-p",
    version: 1,
    fields: &[Doses::OF],
    source: include_str!("falling_sign_p.rs"),
    build: Build::Gauge(|params| Ok(READING.gauge(params))),
};

const READING: DoseReading = DoseReading {
    convention: "exact two-sided p of the sign test on the slopes of items",
    direction: Direction::Lower,
    best: None,
    ends: SHARE,
    read: DoseRead::AllItems(p_value),
};

fn p_value(doses: &Doses, weights: &[u32]) -> Result<f64, Undefined> {
    let slopes = doses.per_item(slope);
    let counted = slopes.iter().zip(weights);
    let counted = counted.filter_map(|(slope, weight)| Some(((*slope)?, *weight)));
    let slopes: Vec<f64> = counted
        .flat_map(|(slope, weight)| std::iter::repeat_n(slope, weight as usize))
        .collect();
    sign(&slopes, &vec![0.0; slopes.len()], Side::TwoSided)
        .map(|test| test.p)
        .map_err(reason)
}
