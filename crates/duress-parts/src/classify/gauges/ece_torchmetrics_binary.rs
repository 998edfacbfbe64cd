//! The expected calibration error of two classes as torchmetrics has it in its binary form.
//!
//! # What it does
//! Compares the probability of the second class with the share of items that are of it, and not how
//! sure an answer was with whether it was right. Bins are those of `ece-torchmetrics`: [lo, hi)
//! whose edges are those of `torch.linspace`, a bin of its own for a probability of exactly 1, and
//! probabilities rounded to single precision.
//!
//! # Why it matters
//! A published number can be reproduced, and the difference to `ece` seen: errors about the two
//! classes that cancel in the top label do not cancel here.
//!
//! # Promise
//! Lower is better, 0 is perfect; undefined unless there are two classes. Marked `compat`: it copies
//! another tool as it reads probabilities in single precision, which networks give; sums are in
//! double precision here, so the two agree to about 1e-6. Given double precision, torchmetrics puts a
//! probability on the edge of a bin sometimes into the bin below, and its number differs there.
//!
//! # Example
//! ```toml
//! [gauge.published-ece]
//! use = "ece-torchmetrics-binary"
//! bins = 15
//! ```
//!
//! # Reference
//! torchmetrics, `BinaryCalibrationError(norm="l1")`.

use duress_core::gauge::Gauge;
use duress_core::part::{Build, Part};
use duress_stats::statistic::{Edges, Gap};

use crate::classify::frame::calibration_error::{BINS, CalibrationGauge, TwoClasses};

/// The part.
pub static PART: Part = Part {
    name: "ece-torchmetrics-binary",
    version: 1,
    fields: &[BINS],
    source: include_str!("ece_torchmetrics_binary.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Cell(Box::new(CalibrationGauge {
            bins: params.count("bins"),
            convention: |bins| {
                format!(
                    "torchmetrics, binary: the second class, {bins} equal-width bins [lo, hi), confidence 1 apart, float32"
                )
            },
            edges: Edges::OneApart,
            gap: Gap::Mean,
            two_classes: TwoClasses::OnlySecond,
            compat: true,
        })))
    }),
};
