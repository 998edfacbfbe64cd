//! The expected calibration error with the bins of torchmetrics.
//!
//! # What it does
//! As `ece`, but with bins [lo, hi) whose edges are those of `torch.linspace`, a bin of its own for
//! a confidence of exactly 1, and confidences rounded to single precision.
//!
//! # Why it matters
//! A published number can be reproduced, and the difference to `ece` seen: it is large when many
//! confidences are exactly 1 or on an edge.
//!
//! # Promise
//! Lower is better, 0 is perfect. Marked `compat`: it copies another tool, which computes in single
//! precision whatever it is given; sums are in double precision here, so the two agree to about
//! 1e-6.
//!
//! # Example
//! ```toml
//! [gauge.published-ece]
//! use = "ece-torchmetrics"
//! bins = 15
//! ```
//!
//! # Reference
//! torchmetrics, `MulticlassCalibrationError(norm="l1")`.

use duress_core::gauge::Gauge;
use duress_core::part::{Build, Part};
use duress_stats::statistic::{Edges, Gap};

use crate::classify::frame::calibration_error::{BINS, CalibrationGauge, TwoClasses};

/// The part.
pub static PART: Part = Part {
    name: "ece-torchmetrics",
    version: 1,
    fields: &[BINS],
    source: include_str!("ece_torchmetrics.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Cell(Box::new(CalibrationGauge {
            bins: params.count("bins"),
            convention: |bins| {
                format!(
                    "torchmetrics: top-label, {bins} equal-width bins [lo, hi), confidence 1 apart, float32"
                )
            },
            edges: Edges::OneApart,
            gap: Gap::Mean,
            two_classes: TwoClasses::TopLabel,
            compat: true,
        })))
    }),
};
