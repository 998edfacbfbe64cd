//! The worst case of scrambling: the largest mean degradation of any arrangement.
//!
//! # What it does
//! For each arrangement p on the ladder, d(p) is the mean over items of (S_orig − S_pert) / S_orig;
//! MDA is the maximum of d(p): the maximum of the means, one arrangement for all items.
//! `worst-per-item` lets each item have its own worst.
//!
//! # Why it matters
//! A mean over arrangements hides the one that breaks everything.
//!
//! # Promise
//! Lower is better, never below MDR. Not clamped. A maximum of noisy means leans high, which
//! is said beside it; its interval is resampled with the maximum taken anew, and is too narrow where
//! no arrangement stands out.
//!
//! # Example
//! ```toml
//! [gauge.mda]
//! use = "mda"
//! of = "s-acc"
//! min-s-orig = 0.05
//! ```
//!
//! # Reference
//! Also read as "mean degradation absolute"; by its definition it is the worst case.

use duress_core::gauge::{Direction, Gauge};
use duress_core::part::{Build, Part};

use crate::order::frame::degradation::{Degradation, DegradationGauge, ItemRatio, OF};

/// The part.
pub static PART: Part = Part {
    name: "mda",
    version: 1,
    fields: &[OF, ItemRatio::MIN_S_ORIG, ItemRatio::RATIO],
    source: include_str!("mda.rs"),
    build: Build::Gauge(|params| {
        let read = Degradation::mda;
        let gauge = DegradationGauge::new(
            params,
            "maximum over the ladder's arrangements of d(p)",
            (Direction::Lower, None),
            read,
        );
        Ok(Gauge::Ladder(Box::new(gauge.picking_largest())))
    }),
};
