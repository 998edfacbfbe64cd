//! The expected calibration error with the bins of netcal.
//!
//! # What it does
//! As `ece`, but with bins [lo, hi), the last closed above; ten of them unless `bins` says
//! otherwise. Of two classes it reads what netcal reads: not how sure the answer was, but the
//! probability of the second class, and whether an item is of it.
//!
//! # Why it matters
//! A published number can be reproduced, and the difference to `ece` seen: it lies in confidences
//! exactly on an edge, in the number of bins, and of two classes in what is taken for a confidence.
//!
//! # Promise
//! Lower is better, 0 is perfect. Marked `compat`: it copies another tool.
//!
//! # Example
//! ```toml
//! [gauge.published-ece]
//! use = "ece-netcal"
//! bins = 10
//! ```
//!
//! # Reference
//! netcal, `netcal.metrics.ECE`.

use duress_core::gauge::Gauge;
use duress_core::part::{Build, Field, Part};
use duress_stats::statistic::{Edges, Gap};

use crate::classify::frame::calibration_error::{BINS, CalibrationGauge, TwoClasses};

/// The part.
pub static PART: Part = Part {
    name: "ece-netcal",
    version: 2,
    fields: &[Field {
        default: Some("10"),
        ..BINS
    }],
    source: include_str!("ece_netcal.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Cell(Box::new(CalibrationGauge {
            bins: params.count("bins"),
            convention: |bins| {
                format!(
                    "netcal: top-label, of two classes the second, {bins} equal-width bins [lo, hi), the last closed above"
                )
            },
            edges: Edges::BelowHigh,
            gap: Gap::Mean,
            two_classes: TwoClasses::Second,
            compat: true,
        })))
    }),
};
