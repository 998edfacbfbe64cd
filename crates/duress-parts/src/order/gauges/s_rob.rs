//! Robustness to scrambling in one number: the harmonic mean of S_seq and S_struct.
//!
//! # What it does
//! Reads S_seq = 1 − (0.5 MDR + 0.5 MDA) and S_struct on the same ladder (see `s-seq` and
//! `s-struct`) and gives 2ab/(a + b).
//!
//! # Why it matters
//! A subject is robust to order when it loses little and loses it evenly; the harmonic mean is high
//! only when both hold.
//!
//! # Promise
//! Higher is better, 1 is perfect. Undefined when either of the two is below 0, or either is
//! undefined, with its reason.
//!
//! # Example
//! ```toml
//! [gauge.s-rob]
//! use = "s-rob"
//! normalize = "half"
//! ```
//!
//! # Reference
//! C. J. van Rijsbergen, Information Retrieval, 1979, chapter 7, for why a harmonic mean where both
//! must be high.

use duress_core::gauge::Gauge;
use duress_core::part::{Build, Part};

use crate::order::frame::degradation::{ItemRatio, OF};
use crate::order::frame::group_evenness::{EvennessReading, GroupEvennessGauge, LADDER, NORMALIZE};
use crate::order::frame::item_groups::{COLUMN, EXCEPT};

/// The part.
pub static PART: Part = Part {
    name: "s-rob",
    version: 1,
    fields: &[
        OF,
        LADDER,
        ItemRatio::MIN_S_ORIG,
        ItemRatio::RATIO,
        COLUMN,
        EXCEPT,
        NORMALIZE,
    ],
    source: include_str!("s_rob.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Subject(Box::new(GroupEvennessGauge::new(
            params,
            EvennessReading::WithLosses(ItemRatio::new(params)),
        ))))
    }),
};
