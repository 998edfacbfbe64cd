//! Evenness over groups: how little the score under scrambling depends on an item's structure.
//!
//! # What it does
//! Averages the score over the items of each group and all their arrangements, the original left
//! out, and takes the population standard deviation σ of the groups' means. S_struct is 1 − σ/0.5:
//! 0.5 is the largest σ that scores in [0, 1] can have. `normalize = "range"` divides by the range
//! of the means instead.
//!
//! # Why it matters
//! A reader may cope with scrambled pairs and break on scrambled sentences; the mean over all items
//! hides it.
//!
//! # Promise
//! Higher is better, 1 when all groups score the same. The range form is there to compare with
//! numbers made that way and says little: for six unequal groups it lies between 0.5 and 0.7113
//! whatever their spread. Groups of different items differ in more than structure, and means of few
//! items spread by chance alone: the detail has the mean μ_k and the size of every group, the
//! *floor* (what S_struct reads in the mean when items are shuffled over the groups), the p-value of
//! those 9,999 shuffles, and σ with the sampling variance taken out, which `s-struct-net` reads.
//!
//! # Example
//! ```toml
//! [gauge.s-struct]
//! use = "s-struct"
//! column = "structure"
//! except = ["unlabelled"]
//! ```
//!
//! # Reference
//! T. Popoviciu, Mathematica (Cluj) 9 (1935) 129, for the bound of σ by half the range.

use duress_core::gauge::Gauge;
use duress_core::part::{Build, Part};

use crate::order::frame::degradation::OF;
use crate::order::frame::group_evenness::{
    EvennessReading, GroupEvennessGauge, LADDER, NORMALIZE, SHUFFLES,
};
use crate::order::frame::item_groups::{COLUMN, EXCEPT};

/// The part.
pub static PART: Part = Part {
    name: "s-struct",
    version: 1,
    fields: &[OF, LADDER, COLUMN, EXCEPT, NORMALIZE, SHUFFLES],
    source: include_str!("s_struct.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Subject(Box::new(GroupEvennessGauge::new(
            params,
            EvennessReading::Spread {
                shuffles: params.count("shuffles"),
            },
        ))))
    }),
};
