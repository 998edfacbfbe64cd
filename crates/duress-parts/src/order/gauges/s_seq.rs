//! Robustness to order: 1 − (0.5 MDR + 0.5 MDA).
//!
//! # What it does
//! Reads MDR and MDA (see `mdr` and `mda`) on the ladder and takes their mean from 1.
//!
//! # Why it matters
//! One number for a model's dependence on order that counts the mean and the worst case alike.
//!
//! # Promise
//! Higher is better, 1 when nothing degrades. Not clamped: above 1 when scrambling helps, below 0
//! never for scores in [0, 1].
//!
//! # Example
//! ```toml
//! [gauge.s-seq]
//! use = "s-seq"
//! of = "s-acc"
//! min-s-orig = 0.05
//! ```
//!
//! # Reference
//! The definition is the first line; MDR and MDA are reported beside it.

use duress_core::gauge::{Direction, Gauge};
use duress_core::part::{Build, Part};

use crate::order::frame::degradation::{Degradation, DegradationGauge, ItemRatio, OF};

/// The part.
pub static PART: Part = Part {
    name: "s-seq",
    version: 1,
    fields: &[OF, ItemRatio::MIN_S_ORIG, ItemRatio::RATIO],
    source: include_str!("s_seq.rs"),
    build: Build::Gauge(|params| {
        let read = Degradation::s_seq;
        let gauge = DegradationGauge::new(
            params,
            "1 − (0.5 MDR + 0.5 MDA)",
            (Direction::Higher, Some(1.0)),
            read,
        );
        Ok(Gauge::Ladder(Box::new(gauge.picking_largest())))
    }),
};
