//! The p-value of Spearman's ρ between the number of errors and the mean score.
//!
//! # What it does
//! Reads the means over items of the gauge `of` at every rung and gives the exact two-sided p of
//! Spearman's ρ with the number of errors, by counting permutations where there are few rungs.
//!
//! # Why it matters
//! Six means can give no p below 2/720. Read it beside the correlation, never instead of it.
//!
//! # Promise
//! Lower is better only in that it leaves less to chance. The same score at every dose is
//! undefined.
//!
//! # Example
//! ```toml
//! [gauge.dose-spearman-p]
//! use = "dose-spearman-p"
//! of = "quality"
//! ```
//!
//! # Reference
//! M. G. Kendall, Rank Correlation Methods, 1970, for the exact law; compared with SciPy in
//! peers/stats.

use duress_core::gauge::{Direction, SHARE, Undefined};
use duress_core::part::{Build, Part};
use duress_stats::tests::spearman;
use duress_stats::{Route, Side};

use crate::judge::frame::dose_reading::{DoseRead, DoseReading};
use crate::judge::frame::dose_response::{Doses, reason};

/// The part.
pub static PART: Part = Part {
    name: "dose-spearman-p",
    version: 1,
    fields: &[Doses::OF],
    source: include_str!("dose_spearman_p.rs"),
    build: Build::Gauge(|params| Ok(READING.gauge(params))),
};

const READING: DoseReading = DoseReading {
    convention: "exact two-sided p of Spearman's ρ of the dose with the means over items",
    direction: Direction::Lower,
    best: None,
    ends: SHARE,
    read: DoseRead::Means(p_value),
};

fn p_value(dose: &[f64], score: &[f64]) -> Result<f64, Undefined> {
    spearman(dose, score, Side::TwoSided, Route::Auto)
        .map(|test| test.p)
        .map_err(reason)
}
