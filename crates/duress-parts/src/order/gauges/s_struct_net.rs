//! Evenness over groups as `s-struct` has it, of a spread without the sampling variance of the
//! groups' means.
//!
//! # What it does
//! Takes from σ², the population variance of the groups' means, what drawing other items would add
//! to it: (1 − 1/K) times the mean of the K squared standard errors, items being the units. What is
//! left, 0 at least, is divided by 0.5 as `s-struct` divides σ.
//!
//! # Why it matters
//! The means of small groups lie apart even where structure does not matter: `s-struct` then reads
//! less than 1, the smaller the groups the less. This one reads 1 there, up to chance.
//!
//! # Promise
//! Higher is better, 1 when the groups' means spread no further than chance spreads them. Undefined
//! where a group has one item.
//!
//! # Example
//! ```toml
//! [gauge.s-struct-net]
//! use = "s-struct-net"
//! column = "structure"
//! ```
//!
//! # Reference
//! W. G. Cochran, Sampling Techniques, third edition, 1977, chapter 6, for the error of a ratio;
//! the correction is the moment estimator of one-way analysis of variance.

use duress_core::gauge::Gauge;
use duress_core::part::{Build, Part};

use crate::order::frame::degradation::OF;
use crate::order::frame::group_evenness::{EvennessReading, GroupEvennessGauge, LADDER};
use crate::order::frame::item_groups::{COLUMN, EXCEPT};

/// The part.
pub static PART: Part = Part {
    name: "s-struct-net",
    version: 1,
    fields: &[OF, LADDER, COLUMN, EXCEPT],
    source: include_str!("s_struct_net.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Subject(Box::new(GroupEvennessGauge::new(
            params,
            EvennessReading::NetSpread,
        ))))
    }),
};
