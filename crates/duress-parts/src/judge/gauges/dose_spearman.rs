//! Sensitivity to dose: Spearman's ρ between the number of errors and the score.
//!
//! # What it does
//! Reads the gauge `of` at every rung and gives Spearman's ρ of it with the number of errors. With
//! `over = "means"` the means over items are correlated, one point per rung; with `over = "items"`
//! each item's own scores, and the mean of those is read. Only items with a score at every dose
//! take part, so that all means are over the same items.
//!
//! # Why it matters
//! A judge that can be trusted to rank gives less, step by step, to a response with more errors. ρ
//! weighs a large step in the ranks more than τ does.
//!
//! # Promise
//! −1 when the score falls at every step; lower is better, because quality falls with errors. The
//! same score at every dose is undefined, not 0; such an item does not take part in `over =
//! "items"`.
//!
//! # Example
//! ```toml
//! [gauge.sensitivity]
//! use = "dose-spearman"
//! of = "quality"
//! ```
//!
//! # Reference
//! C. Spearman, The proof and measurement of association between two things, American Journal of
//! Psychology 15 (1904) 72.

use duress_core::gauge::Undefined;
use duress_core::part::{Build, Part};
use duress_stats::tests::spearman;
use duress_stats::{Route, Side};

use crate::judge::frame::dose_correlation::{DoseCorrelation, FIELDS};
use crate::judge::frame::dose_response::reason;

/// The part.
pub static PART: Part = Part {
    name: "dose-spearman",
    version: 1,
    fields: FIELDS,
    source: include_str!("dose_spearman.rs"),
    build: Build::Gauge(|params| Ok(DoseCorrelation::gauge(params, "Spearman ρ", rho))),
};

fn rho(dose: &[f64], score: &[f64]) -> Result<f64, Undefined> {
    spearman(dose, score, Side::Less, Route::Auto)
        .map(|test| test.statistic)
        .map_err(reason)
}
