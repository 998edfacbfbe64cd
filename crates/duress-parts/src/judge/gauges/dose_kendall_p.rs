//! The p-value of Kendall's τ-b between the number of errors and the mean score.
//!
//! # What it does
//! Reads the means over items of the gauge `of` at every rung and gives the exact two-sided p of
//! Kendall's τ-b with the number of errors, by counting permutations where there are few rungs.
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
//! [gauge.dose-kendall-p]
//! use = "dose-kendall-p"
//! of = "quality"
//! ```
//!
//! # Reference
//! M. G. Kendall, Rank Correlation Methods, 1970, for the exact law; compared with SciPy in
//! peers/stats.

use duress_core::gauge::{Direction, SHARE, Undefined};
use duress_core::part::{Build, Part};
use duress_stats::tests::kendall;
use duress_stats::{Route, Side};

use crate::judge::frame::dose_reading::{DoseRead, DoseReading};
use crate::judge::frame::dose_response::{Doses, reason};

/// The part.
pub static PART: Part = Part {
    name: "dose-kendall-p",
    version: 1,
    fields: &[Doses::OF],
    source: include_str!("dose_kendall_p.rs"),
    build: Build::Gauge(|params| Ok(READING.gauge(params))),
};

const READING: DoseReading = DoseReading {
    convention: "exact two-sided p of Kendall's τ-b of the dose with the means over items",
    direction: Direction::Lower,
    best: None,
    ends: SHARE,
    read: DoseRead::Means(p_value),
};

fn p_value(dose: &[f64], score: &[f64]) -> Result<f64, Undefined> {
    kendall(dose, score, Side::TwoSided, Route::Auto)
        .map(|test| test.p)
        .map_err(reason)
}
