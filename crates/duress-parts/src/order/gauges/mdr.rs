//! Mean degradation rate: what scrambling takes from the score, in the mean over arrangements.
//!
//! # What it does
//! For each arrangement p on the ladder, d(p) is the mean over items of (S_orig − S_pert) / S_orig;
//! MDR is the mean of d(p) over the arrangements. Items with S_orig below `min-s-orig` are left
//! out, because ratios explode there; `ratio = "ratio-of-means"` divides the sums instead and keeps
//! them. An item takes part in the arrangements that are distinct for it. The detail has d(p) of
//! every arrangement by name, over all items and over those of each group of `column`.
//!
//! # Why it matters
//! 0 means that order does not matter, 1 that nothing is left without it. S_orig is measured on the
//! same items, so models that start low are not taken for robust ones.
//!
//! # Promise
//! Lower is better. Not clamped: an arrangement that helps counts as negative degradation. Without
//! the clean rung it is undefined.
//!
//! # Example
//! ```toml
//! [gauge.mdr]
//! use = "mdr"
//! of = "s-acc"
//! min-s-orig = 0.05
//! ```
//!
//! # Reference
//! There is no standard definition; this one is repeated in every reading's convention.

use duress_core::gauge::{Direction, Gauge};
use duress_core::part::{Build, Part};

use crate::order::frame::degradation::{Degradation, DegradationGauge, ItemRatio, OF};
use crate::order::frame::item_groups::{COLUMN, EXCEPT, ItemGroups};

/// The part.
pub static PART: Part = Part {
    name: "mdr",
    version: 1,
    fields: &[OF, ItemRatio::MIN_S_ORIG, ItemRatio::RATIO, COLUMN, EXCEPT],
    source: include_str!("mdr.rs"),
    build: Build::Gauge(|params| {
        let read = Degradation::mdr;
        let gauge = DegradationGauge::new(
            params,
            "mean over the ladder's arrangements of d(p)",
            (Direction::Lower, None),
            read,
        );
        let gauge = gauge.telling_by(ItemGroups::new(params));
        Ok(Gauge::Ladder(Box::new(gauge)))
    }),
};
